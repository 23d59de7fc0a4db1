import { join } from 'node:path';
import { type Clock, WritError } from '@writ/core';
import { resolveArgv } from './argv.ts';
import { assertCommandAllowed } from './commands.ts';
import { buildEnvironment } from './environment.ts';
import { createGit } from './git.ts';
import { assertIsolation } from './isolation.ts';
import { endTree, type TreeTools } from './process-tree/end-tree.ts';
import { createProcessTable } from './process-tree/process-table.ts';
import type { Spawner } from './spawned.ts';
import { createSpawnerClient } from './spawner-client.ts';
import { startFailure } from './start-failure.ts';
import { createCapture, createRun } from './task-run.ts';
import { createTranscripts, type Transcripts } from './transcripts.ts';
import type { Run, RunSink, RunSpec, TaskRunner, TaskRunnerOptions } from './types.ts';
import { type Attempt, createWorkspaces, type Workspaces } from './workspaces.ts';

/** Between TERM and KILL, milliseconds. */
const GRACE_MS = 2000;

/** The parts that a start goes through. */
interface Parts {
  readonly options: TaskRunnerOptions;
  readonly spawner: Spawner;
  readonly workspaces: Workspaces;
  readonly transcripts: Transcripts;
}

/**
 * Runs tasks as processes of a spawner child, which is started at once and lives until `close`. One runner owns its
 * two root folders; attempts that an earlier process left there are removed before the first start.
 */
export function createTaskRunner(options: TaskRunnerOptions): TaskRunner {
  const { clock, logger, random, root } = options;
  const tools: TreeTools = { table: createProcessTable(), nowMs: () => clock.monotonicMs(), pause: pauseWith(clock) };
  const spawner = createSpawnerClient({
    ...options.spawner,
    pipesFolder: join(root.workspaces, 'pipes'),
    logger,
    tools,
  });
  const gitConfigFile = join(root.workspaces, 'gitconfig');
  const shutdown = new AbortController();
  const git = createGit({
    spawner,
    configFile: gitConfigFile,
    path: options.env.PATH,
    clock,
    signal: shutdown.signal,
  });
  const workspaces = createWorkspaces({ root: root.workspaces, git, gitConfigFile, random, logger });
  const transcripts = createTranscripts(root.transcripts, options.transcriptCapBytes, logger);
  const parts: Parts = { options, spawner, workspaces, transcripts };
  const live = new Set<Run>();
  const starting = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    shutdown.abort();
    await Promise.allSettled(starting);
    for (const run of live) run.stop({ kind: 'cancel', cause: 'the node is going down' });
    await Promise.all([...live].map((run) => run.done));
    await spawner.close();
    await workspaces.close();
  };
  return {
    async start(spec, sink) {
      if (closing !== undefined) throw new WritError('SHUTTING_DOWN', 'the runner is closed');
      const started = startRun(parts, spec, sink);
      starting.add(started);
      try {
        const run = await started;
        live.add(run);
        void run.done.then(() => live.delete(run));
        return run;
      } finally {
        starting.delete(started);
      }
    },
    async endStray(nonces) {
      if (nonces.length === 0) return 0;
      const { found, refused } = await endTree({ nonces }, options.graceMs ?? GRACE_MS, tools);
      if (refused.length > 0) logger.error('processes could not be ended', { pids: refused.join(' ') });
      return found;
    },
    readTranscript: (task, offset, limit) => transcripts.read(task, offset, limit),
    close() {
      closing ??= close();
      return closing;
    },
  };
}

async function startRun(parts: Parts, spec: RunSpec, sink: RunSink): Promise<Run> {
  assertIsolation(spec);
  if (spec.nonce === '' || spec.nonce.includes('\0')) throw new WritError('BAD_REQUEST', 'the attempt has no nonce');
  // Before anything is prepared: a command that may not run costs nothing. A template is the node's own and may.
  if (spec.runner.kind === 'shell') assertCommandAllowed(resolveArgv(spec.runner, spec.input, ''), spec.commands);
  const attempt = await parts.workspaces.prepare(spec.workspace, spec.nonce, spec.timeoutMs);
  try {
    return await spawnRun(parts, spec, sink, attempt);
  } catch (error) {
    parts.workspaces.release(attempt);
    throw error;
  }
}

async function spawnRun(parts: Parts, spec: RunSpec, sink: RunSink, attempt: Attempt): Promise<Run> {
  const { options, spawner, transcripts, workspaces } = parts;
  const argv = resolveArgv(spec.runner, spec.input, attempt.work);
  const env = buildEnvironment({
    node: options.env,
    allowed: spec.env,
    home: attempt.home,
    tmp: attempt.tmp,
    task: spec.task,
    nonce: spec.nonce,
    ...(spec.access ? { access: spec.access } : {}),
  });
  const transcript = transcripts.writer(spec.task);
  const capture = createCapture(transcript, sink, options.logger);
  const result = await spawner.spawn(
    {
      argv,
      cwd: attempt.work,
      env,
      nonce: spec.nonce,
      folder: attempt.folder,
      graceMs: options.graceMs ?? GRACE_MS,
    },
    capture.onOutput,
  );
  if (!result.ok) {
    const tried = { runner: spec.runner, program: argv[0] ?? '', path: env.PATH ?? '', cwd: attempt.work };
    throw await startFailure(tried, result.failed);
  }
  const release = (): void => workspaces.release(attempt);
  return createRun({
    spec,
    process: result.process,
    capture,
    transcript,
    clock: options.clock,
    logger: options.logger,
    release,
  });
}

function pauseWith(clock: Clock): (ms: number) => Promise<void> {
  return (ms) =>
    new Promise((resolve) => {
      clock.setTimer(ms, resolve);
    });
}
