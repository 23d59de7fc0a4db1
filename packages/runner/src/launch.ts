import { resolveArgv } from './argv.ts';
import { buildEnvironment, searchPath } from './environment.ts';
import type { RunnerParts } from './prepared-run.ts';
import { confine } from './sandbox/confinement.ts';
import { askerOf } from './sandbox/sandbox.ts';
import { NOT_SHOWN, type StartAttempt, startFailure } from './start-failure.ts';
import type { IsolationLevel, RunSpec } from './types.ts';
import type { Attempt } from './workspaces.ts';

/** How a run is started. */
export interface Launch {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly isolation: IsolationLevel;
  /** For the error, where nothing comes of it. */
  readonly tried: StartAttempt;
}

/**
 * Puts together what is started: the program's own arguments and environment, then, where the spec requires it, the sandbox
 * around them. Rejects with ISOLATION_UNAVAILABLE, BAD_REQUEST, or what a program is answered with that is not there.
 */
export async function planLaunch(parts: RunnerParts, spec: RunSpec, attempt: Attempt): Promise<Launch> {
  const { options } = parts;
  const { task, nonce, access } = spec;
  const { home, tmp, scratch, work } = attempt;
  const argv = resolveArgv(spec.runner, spec.input, work);
  const env = buildEnvironment({
    ...{ node: options.env, allowed: spec.env, home, tmp, task, nonce },
    ...(scratch === undefined ? {} : { scratch }),
    ...(access === undefined ? {} : { access }),
  });
  const tried = { runner: spec.runner, program: argv[0] ?? '', path: env.PATH ?? '', cwd: work };
  if (spec.isolation === 'none') return { argv, env, isolation: 'none', tried };
  const { kind } = await parts.sandbox.require(askerOf(spec.runner.name));
  const wrapped = await wrap(parts, spec, attempt, argv);
  if (wrapped === undefined) throw await startFailure(tried, { errno: NOT_SHOWN, message: '' });
  return { argv: wrapped, env, isolation: kind, tried };
}

async function wrap(
  { options, sandbox }: RunnerParts,
  { reach, access, timeoutMs, runner }: RunSpec,
  attempt: Attempt,
  argv: readonly string[],
): Promise<readonly string[] | undefined> {
  const { view } = await sandbox.require(askerOf(runner.name));
  const confinement = await confine({
    ...{ reach, view, readPaths: reach.readPaths.map(options.resolvePath) },
    folders: { ...attempt, isClone: attempt.clone !== undefined },
    sockets: access === undefined ? [] : [access.socket],
    programs: options.programs,
    hidden: options.hidden,
  });
  return sandbox.wrap({ argv, confinement, timeoutMs, path: searchPath(options.env.PATH) });
}
