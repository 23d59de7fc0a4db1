import { basename, join } from 'node:path';
import { WritError } from '@writ/core';
import { DRIVERS } from './drivers/drivers.ts';
import { buildEnvironment } from './environment.ts';
import type { RunnerParts } from './runner-parts.ts';
import { confine } from './sandbox/confinement.ts';
import { tellingEnding } from './sandbox/ending.ts';
import { bridgedArgv, proxyEnvironment } from './sandbox/network/bridge.ts';
import { canStart } from './sandbox/program.ts';
import { askerOf, type Wrapped } from './sandbox/sandbox.ts';
import type { SandboxFeatures } from './sandbox/types.ts';
import { isSecretName } from './secret-names.ts';
import { type HandedSecrets, handSecrets } from './secrets/secret-files.ts';
import { NOT_SHOWN, type StartAttempt, startFailure } from './start-failure.ts';
import type { IsolationLevel, RunSpec } from './types.ts';
import type { Attempt } from './workspaces/attempt.ts';
import { writeAuthor } from './workspaces/author.ts';

/** How a run is started. */
export interface Launch {
  readonly argv: readonly string[];
  /** Whether its standard input stays open, for its driver. */
  readonly inputOpen: boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly isolation: IsolationLevel;
  /** What the spawner is told of a sandbox. */
  readonly sandbox: Partial<Pick<Wrapped, 'keeper' | 'told'> & { readonly endingTold: true }>;
  /** What may stand in nothing that is kept. */
  readonly secrets: readonly Uint8Array[];
  /** For the error, where nothing comes of it. */
  readonly tried: StartAttempt;
  /** Takes back what was given for the time of the run; to be called once, when it is over. */
  undo(): Promise<void>;
}

/** What was opened for a run, to be closed when it is over, or where it does not start. */
type Undo = (() => Promise<void>)[];

/**
 * Puts together what is started, in this order: the secrets, the program's own arguments and environment, then, where the spec
 * requires it, the way to the network and the sandbox around all of it. Rejects with ISOLATION_UNAVAILABLE,
 * RUNNER_UNAVAILABLE, BAD_REQUEST, or what a program is answered with that is not there; nothing is left then.
 */
export async function planLaunch(parts: RunnerParts, spec: RunSpec, attempt: Attempt): Promise<Launch> {
  const undo: Undo = [];
  const undoAll = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    return { ...(await plan(parts, spec, attempt, undo)), undo: undoAll };
  } catch (error) {
    await undoAll();
    throw error;
  }
}

async function plan(parts: RunnerParts, spec: RunSpec, attempt: Attempt, undo: Undo): Promise<Omit<Launch, 'undo'>> {
  const { options } = parts;
  const { task, nonce, access } = spec;
  const { home, tmp, scratch, work } = attempt;
  if (attempt.clone !== undefined) await writeAuthor(home, spec);
  const handed = await secretsOf(parts, spec, attempt, undo);
  const { argv, inputOpen } = DRIVERS[spec.runner.kind].launch(spec, work);
  const env = buildEnvironment({
    ...{ node: options.env, allowed: spec.env, home, tmp, task, nonce },
    ...(scratch === undefined ? {} : { scratch }),
    ...(handed === undefined ? {} : { secrets: handed.folder }),
    ...(access === undefined ? {} : { access }),
  });
  const tried = { runner: spec.runner, program: argv[0] ?? '', path: env.PATH ?? '', cwd: work };
  const token = access === undefined ? [] : [Buffer.from(access.token)];
  const secrets = [...(handed?.values ?? []), ...token, ...secretVariables(env, spec.env)];
  const inGroup = (what: Grouped): Promise<Grouped> => joinGroup(parts, basename(attempt.folder), what, undo);
  if (spec.isolation === 'none') {
    // What is not there is told of by who starts it.
    const isThere = await canStart(tried);
    const plain = { argv, isolation: 'none' } as const;
    return { ...(isThere ? await inGroup(plain) : plain), inputOpen, env, sandbox: {}, secrets, tried };
  }
  const enclosed = await enclose(parts, spec, { attempt, argv, path: tried.path, secrets: handed?.folder }, undo);
  if (enclosed === undefined) throw await startFailure(tried, { errno: NOT_SHOWN, message: '' });
  return { ...enclosed, ...(await inGroup(enclosed)), inputOpen, env: { ...env, ...enclosed.env }, secrets, tried };
}

type Grouped = Pick<Launch, 'argv' | 'isolation'>;

/** The same in a control group of its own, where there are some; whatever is left in it then is killed with it. */
async function joinGroup({ groups }: RunnerParts, name: string, what: Grouped, undo: Undo): Promise<Grouped> {
  const group = await groups.open(name);
  if (group === undefined) return what;
  undo.push(group.close);
  const isolation = what.isolation === 'none' ? 'none+cgroup' : 'bubblewrap+cgroup';
  return { argv: group.join(what.argv), isolation };
}

/** Variables that the profile lets pass, and whose name says that their value is a secret. */
function secretVariables(env: Readonly<Record<string, string>>, allowed: readonly string[]): readonly Uint8Array[] {
  return allowed.filter(isSecretName).map((name) => Buffer.from(env[name] ?? ''));
}

async function secretsOf(
  { options }: RunnerParts,
  { reach }: RunSpec,
  { folder }: Attempt,
  undo: Undo,
): Promise<HandedSecrets | undefined> {
  if (reach.secrets.length === 0) return undefined;
  const handed = await handSecrets(reach.secrets, options.root.secrets, join(folder, 'secrets'));
  undo.push(handed.remove);
  return handed;
}

/** What goes into a sandbox. */
interface Enclosing {
  readonly attempt: Attempt;
  readonly argv: readonly string[];
  readonly path: string;
  /** Folder of the secrets, where there are some. */
  readonly secrets: string | undefined;
}

/** The same program in a sandbox; undefined where it would not be seen there. */
async function enclose(
  parts: RunnerParts,
  { reach, access, timeoutMs, runner }: RunSpec,
  { attempt, argv, path, secrets }: Enclosing,
  undo: Undo,
): Promise<Pick<Launch, 'argv' | 'env' | 'isolation' | 'sandbox'> | undefined> {
  const { options, sandbox } = parts;
  const { view, ...features } = await sandbox.require(askerOf(runner.name));
  const way = await openNetwork(parts, reach.network, features, undo);
  const confinement = await confine({
    ...{ reach, view, readPaths: reach.readPaths.map(options.resolvePath) },
    folders: { ...attempt, isClone: attempt.clone !== undefined, ...(secrets === undefined ? {} : { secrets }) },
    sockets: [...(access === undefined ? [] : [access.socket]), ...(way === undefined ? [] : [way.socket])],
    programs: options.programs,
    hidden: options.hidden,
  });
  const around = (inner: readonly string[]): readonly string[] =>
    tellingEnding(way === undefined ? inner : bridgedArgv(way.bridge, way.socket, inner));
  const wrapped = await sandbox.wrap({ argv, confinement, timeoutMs, path, around });
  if (wrapped === undefined) return undefined;
  const { argv: outer, ...told } = wrapped;
  const more = way === undefined ? {} : proxyEnvironment();
  return { argv: outer, env: more, isolation: features.kind, sandbox: { ...told, endingTold: true } };
}

async function openNetwork(
  { egress }: RunnerParts,
  network: RunSpec['reach']['network'],
  { bridge }: SandboxFeatures,
  undo: Undo,
): Promise<{ readonly socket: string; readonly bridge: string } | undefined> {
  if (network === 'deny') return undefined;
  if (bridge === undefined) {
    throw new WritError(
      'ISOLATION_UNAVAILABLE',
      'the profile has a network, and this node has no way to it from a sandbox',
      {
        nextSteps: ['install socat on the executing node', 'or take `network` and `use_network` out of the profile'],
      },
    );
  }
  const proxy = await egress.open(network);
  undo.push(proxy.close);
  return { socket: proxy.socket, bridge };
}
