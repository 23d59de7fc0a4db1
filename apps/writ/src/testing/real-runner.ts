import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystemClock, createSystemRandom, silentLogger } from '@writ/core';
import { createTaskRunner, type Run, type RunSpec, type TaskRunner } from '@writ/runner';
import { build } from 'esbuild';

/** A task runner over real processes, in a throw-away folder. */
export interface RealRunner {
  /** Real, absolute; goes away with the runner. */
  readonly folder: string;
  readonly runner: TaskRunner;
  /** Runs a shell script to its end; the files stay. */
  run(script: string, workspace?: RunSpec['workspace']): Promise<Run>;
  close(): Promise<void>;
}

export async function createRealRunner(path: string): Promise<RealRunner> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'writ-real-runner-')));
  const script = join(folder, 'spawner.mjs');
  await build({
    entryPoints: [createRequire(import.meta.url).resolve('@writ/runner/spawner')],
    ...{ bundle: true, platform: 'node', target: 'node20', format: 'esm', outfile: script, logLevel: 'error' },
  });
  const random = createSystemRandom();
  const runner = createTaskRunner({
    root: {
      workspaces: join(folder, 'workspaces'),
      transcripts: join(folder, 'transcripts'),
      outputs: join(folder, 'outputs'),
      sockets: join(folder, 'n'),
      secrets: join(folder, 'secrets'),
    },
    spawner: { node: process.execPath, script },
    ...{ programs: [], hidden: [folder], resolvePath: (path) => path },
    env: { PATH: path },
    clock: createSystemClock(),
    random,
    logger: silentLogger,
    storage: {
      rules: () => ({ failedMs: 1000, orphanedMs: 1000, budgetBytes: 1024 ** 3 }),
      isTimeBelieved: () => true,
      ready: () => 0,
    },
    transcriptCapBytes: 1024 * 1024,
  });
  return {
    folder,
    runner,
    async run(text, workspace) {
      const spec: RunSpec = {
        ...{
          task: random.uuid(),
          sender: 'self',
          epoch: 1,
          nonce: random.uuid(),
          timeoutMs: 60_000,
          maxOutputBytes: 64 * 1024,
        },
        runner: { name: 'shell', kind: 'shell', argv: [] },
        input: { kind: 'argv', argv: ['sh', '-ec', text] },
        ...{ onOverflow: 'fail', isolation: 'none', env: [], commands: 'allow', rights: [] },
        reach: { workspace: 'write', scratch: false, readPaths: [], network: 'deny', secrets: [] },
        ...(workspace === undefined ? {} : { workspace }),
      };
      const prepared = await runner.prepare(spec, new AbortController().signal);
      const run = await prepared.start(spec, { output: () => undefined });
      const { ending } = await run.done;
      if (ending.kind !== 'exit' || ending.exitCode !== 0) throw new Error(`it ended with ${JSON.stringify(ending)}`);
      return run;
    },
    async close() {
      await runner.close();
      await rm(folder, { recursive: true });
    },
  };
}
