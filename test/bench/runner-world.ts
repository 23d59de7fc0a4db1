import { join, resolve } from 'node:path';
import { createSystemClock, createSystemRandom, silentLogger } from '@writ/core';
import { createTaskRunner, type RunSpec, type TaskRunner } from '@writ/runner';

/** Room for whatever is measured. */
const LARGE = 1024 ** 3;

/** Where a bench's runner has its folders, and the built spawner that it starts. */
export interface RunnerPlace {
  readonly folder: string;
  readonly spawner: string;
}

/** A task runner as a node builds it, with so many clones ready of each workspace. To be closed. */
export function createBenchRunner({ folder, spawner }: RunnerPlace, ready: number): TaskRunner {
  return createTaskRunner({
    root: {
      workspaces: join(folder, 'w'),
      transcripts: join(folder, 't'),
      outputs: join(folder, 'o'),
      sockets: join(folder, 'n'),
      secrets: join(folder, 's'),
    },
    spawner: { node: process.execPath, script: resolve(spawner) },
    ...{ programs: [], hidden: [], resolvePath: (path) => path },
    env: process.env,
    ...{ clock: createSystemClock(), random: createSystemRandom(), logger: silentLogger },
    storage: {
      rules: () => ({ failedMs: 1, orphanedMs: 1, budgetBytes: 8 * LARGE }),
      isTimeBelieved: () => true,
      ready: () => ready,
    },
    // As a node has it.
    transcriptCapBytes: 64 * 1024 ** 2,
  });
}

/** What a new task of an argument vector is told, without a sandbox. */
export function benchSpec(argv: readonly string[], over: Partial<RunSpec> = {}): RunSpec {
  const random = createSystemRandom();
  return {
    ...{ task: random.uuid(), sender: 'self', epoch: 1, nonce: random.uuid() },
    ...{ timeoutMs: 3_600_000, maxOutputBytes: 1024 },
    runner: { name: 'shell', kind: 'shell', argv: [] },
    input: { kind: 'argv', argv },
    ...{ onOverflow: 'truncate', isolation: 'none', env: [], commands: 'allow', rights: [] },
    reach: { workspace: 'write', scratch: false, readPaths: [], network: 'deny', secrets: [] },
    ...over,
  };
}
