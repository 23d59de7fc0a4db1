import { createSystemClock, createSystemRandom, silentLogger } from '@writ/core';
import { createTaskRunner } from '../task-runner.ts';
import type { RunSpec, TaskRunner } from '../types.ts';

/** A task runner for a process of its own, with everything below `folder`. */
export function createBareRunner(folder: string, script: string, graceMs?: number): TaskRunner {
  return createTaskRunner({
    root: {
      workspaces: `${folder}/workspaces`,
      transcripts: `${folder}/transcripts`,
      outputs: `${folder}/outputs`,
      sockets: `${folder}/n`,
      secrets: `${folder}/secrets`,
    },
    spawner: { node: process.execPath, script },
    programs: [],
    resolvePath: (path) => path,
    hidden: [folder],
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    clock: createSystemClock(),
    random: createSystemRandom(),
    logger: silentLogger,
    storage: {
      rules: () => ({ failedMs: 86_400_000, orphanedMs: 86_400_000, budgetBytes: 1024 ** 3 }),
      isTimeBelieved: () => true,
      ready: () => 0,
    },
    transcriptCapBytes: 1024,
    ...(graceMs === undefined ? {} : { graceMs }),
  });
}

/** What such a runner is told for an argument vector. */
export function bareSpec(nonce: string, isolation: RunSpec['isolation'], argv: readonly string[]): RunSpec {
  return {
    task: 'task',
    sender: 'self',
    epoch: 1,
    nonce,
    runner: { name: 'shell', kind: 'shell', argv: [] },
    input: { kind: 'argv', argv },
    timeoutMs: 600_000,
    maxOutputBytes: 1024,
    onOverflow: 'fail',
    isolation,
    reach: { workspace: 'write', scratch: false, readPaths: [], network: 'deny', secrets: [] },
    env: [],
    commands: 'allow',
    rights: [],
  };
}
