import { spawnSync } from 'node:child_process';

/** What a repository script said and how it ended. */
export interface ScriptRun {
  readonly status: number | null;
  readonly output: string;
  /** The last line of its standard output. */
  readonly lastLine: string | undefined;
}

/** Runs `scripts/NAME.mjs` of this tree; `environment` is added to this process's own. */
export function runScript(name: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}): ScriptRun {
  const { WRIT_TEST_REQUIRE: _, ...inherited } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, [`scripts/${name}.mjs`, ...args], {
    encoding: 'utf8',
    env: { ...inherited, ...environment },
  });
  return { status, output: stdout + stderr, lastLine: stdout.trimEnd().split('\n').at(-1) };
}
