import { join } from 'node:path';
import { type Clock, WritError } from '@writ/core';
import { createGit } from './git.ts';
import { assertMayRun, type RunnerParts, startRun } from './prepared-run.ts';
import { endTree, type TreeTools } from './process-tree/end-tree.ts';
import { createProcessTable } from './process-tree/process-table.ts';
import { createSpawnerClient } from './spawner-client.ts';
import { createTranscripts } from './transcripts.ts';
import type { PreparedRun, Run, TaskRunner, TaskRunnerOptions } from './types.ts';
import { type Attempt, createWorkspaces } from './workspaces.ts';

/** Between TERM and KILL where the options do not say, milliseconds. */
const GRACE_MS = 2000;

/**
 * Runs tasks as processes of a spawner child, which is started at once and lives until `close`. One runner owns its
 * two root folders; attempts that an earlier process left there are removed before the first start.
 */
export function createTaskRunner(options: TaskRunnerOptions): TaskRunner {
  const { clock, logger, random, root, graceMs = GRACE_MS } = options;
  const tools: TreeTools = { table: createProcessTable(), nowMs: () => clock.monotonicMs(), pause: pauseWith(clock) };
  const pipesFolder = join(root.workspaces, 'pipes');
  const spawner = createSpawnerClient({ ...options.spawner, pipesFolder, logger, tools });
  const gitConfigFile = join(root.workspaces, 'gitconfig');
  const shutdown = new AbortController();
  const { signal } = shutdown;
  const git = createGit({ spawner, configFile: gitConfigFile, path: options.env.PATH, clock, signal });
  const workspaces = createWorkspaces({ root: root.workspaces, git, gitConfigFile, random, logger });
  const transcripts = createTranscripts(root.transcripts, options.transcriptCapBytes, logger);
  const lifetime = createLifetime({ options, spawner, workspaces, transcripts, graceMs });
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    shutdown.abort();
    await lifetime.end();
    await spawner.close();
    await workspaces.close();
  };
  return {
    async prepare(spec, wanted) {
      if (closing !== undefined) throw closed();
      assertMayRun(spec);
      const { workspace, nonce, timeoutMs } = spec;
      return lifetime.prepare(workspaces.prepare(workspace, { nonce, timeoutMs, signal: wanted }));
    },
    async endStray(nonces) {
      if (nonces.length === 0) return 0;
      const { found, refused } = await endTree({ nonces }, graceMs, tools);
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

/** Everything of a runner that has begun and is not over. */
interface Lifetime {
  /** Hands out what `preparing` comes to. */
  prepare(preparing: Promise<Attempt>): Promise<PreparedRun>;
  /** Ends all of it: what is prepared is given back, what runs is cancelled. */
  end(): Promise<void>;
}

function createLifetime(parts: RunnerParts): Lifetime {
  const underWay = new Set<Promise<unknown>>();
  const unused = new Set<PreparedRun>();
  const live = new Set<Run>();
  let ended = false;

  async function whileUnderWay<T>(work: Promise<T>): Promise<T> {
    underWay.add(work);
    try {
      return await work;
    } finally {
      underWay.delete(work);
    }
  }

  function preparedRun(attempt: Attempt): PreparedRun {
    const prepared: PreparedRun = {
      async start(spec, sink) {
        if (ended) throw closed();
        if (!unused.delete(prepared)) throw new WritError('INTERNAL', 'a prepared run was used twice');
        const run = await whileUnderWay(startRun(parts, spec, sink, attempt));
        live.add(run);
        void run.done.then(() => live.delete(run));
        return run;
      },
      discard() {
        if (unused.delete(prepared)) parts.workspaces.release(attempt);
      },
    };
    unused.add(prepared);
    return prepared;
  }

  return {
    prepare: (preparing) => whileUnderWay(preparing.then(preparedRun)),
    async end() {
      ended = true;
      await Promise.allSettled(underWay);
      for (const prepared of [...unused]) prepared.discard();
      for (const run of live) run.stop({ kind: 'cancel', cause: 'the node is going down' });
      await Promise.all([...live].map((run) => run.done));
    },
  };
}

function closed(): WritError {
  return new WritError('SHUTTING_DOWN', 'the runner is closed');
}

function pauseWith(clock: Clock): (ms: number) => Promise<void> {
  return (ms) =>
    new Promise((resolve) => {
      clock.setTimer(ms, resolve);
    });
}
