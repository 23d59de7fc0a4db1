import { totalmem } from 'node:os';
import { join } from 'node:path';
import { type Clock, pause, sha256Hex, WritError } from '@writ/core';
import { createAgentFinder } from './agents/agent-finder.ts';
import { type ControlGroups, createControlGroups } from './control-groups/control-groups.ts';
import { searchPath } from './environment.ts';
import { createCommandRuns } from './gated/command-runs.ts';
import { createOutputLogs } from './gated/output-log.ts';
import { createGit } from './git.ts';
import { createGitCalls } from './git-calls.ts';
import { openGitRoom } from './git-room/git-room.ts';
import { assertMayRun, startRun, type TaskRun } from './prepared-run.ts';
import type { TreeTools } from './process-tree/end-tree.ts';
import { createProcessTable, descendsFrom } from './process-tree/process-table.ts';
import type { RunnerParts } from './runner-parts.ts';
import { createExecute } from './sandbox/execute.ts';
import { createEgress, type Egress } from './sandbox/network/egress.ts';
import { createSystemLookup } from './sandbox/network/system-lookup.ts';
import { createSandbox } from './sandbox/sandbox.ts';
import { createServices } from './services.ts';
import { createSpawnerClient } from './spawner-client.ts';
import { createStrays } from './strays.ts';
import { createTranscripts } from './transcripts.ts';
import type { PreparedRun, Run, TaskRunner, TaskRunnerOptions } from './types.ts';
import type { Attempt } from './workspaces/attempt.ts';
import { createStorage } from './workspaces/storage.ts';
import type { Fate } from './workspaces/types.ts';
import { createWorkspaces } from './workspaces/workspaces.ts';

/** Between TERM and KILL where the options do not say, milliseconds. */
const GRACE_MS = 2000;
const UNTOLD: Fate = { state: 'orphaned', unbundled: 'unknown' };
const LABEL_BYTES = 4;
const NONCE_BYTES = 16;
const GROUP_DIGITS = 16;

/**
 * Runs tasks as processes of a spawner child, which is started at once and lives until `close`. One runner owns its
 * two root folders; attempts that an earlier process left there are removed before the first start, and processes that
 * belong to them are ended.
 */
export function createTaskRunner(options: TaskRunnerOptions): TaskRunner {
  const { clock, logger, random, root, graceMs = GRACE_MS } = options;
  const tools = toolsOf(clock);
  const label = Buffer.from(random.bytes(LABEL_BYTES)).toString('hex');
  const spawner = spawnerOf(options, label, tools);
  const gitConfigFile = join(root.workspaces, 'gitconfig');
  const shutdown = new AbortController();
  const { signal } = shutdown;
  const git = createGit({ spawner, configFile: gitConfigFile, path: options.env.PATH, clock, signal });
  const stdinFolder = join(root.workspaces, 'stdin');
  const gitCalls = createGitCalls({ spawner, folder: stdinFolder, clock, random, signal });
  const transcripts = createTranscripts(root.transcripts, options.transcriptCapBytes, logger);
  const { noncePrefix } = gitCalls;
  const newNonce = (): string => `${noncePrefix}${Buffer.from(random.bytes(NONCE_BYTES)).toString('hex')}`;
  const strays = createStrays({ root: root.workspaces, label, noncePrefix, graceMs, tools, logger });
  const swept = strays.endEarlier();
  const workspaces = createWorkspaces({
    ...{ root: root.workspaces, label, git, newNonce, gitConfigFile, alone: swept, clock, random, logger },
    ...options.storage,
  });
  const commands = createCommandRuns({
    ...{ spawner, noncePrefix, graceMs, clock, random, logger },
    logs: createOutputLogs(root.outputs, clock, logger),
    folder: join(root.workspaces, 'command-stdin'),
  });
  const services = createServices({ spawner, noncePrefix, graceMs, random });
  const path = searchPath(options.env.PATH);
  const execute = createExecute({ spawner, clock, nonce: newNonce, cwd: '/' });
  const sandbox = createSandbox({ path, arch: process.arch, execute });
  const agents = createAgentFinder({ path, execute, programs: options.programs, sandbox: sandbox.look });
  const rooms = { spawner, sandbox, folder: stdinFolder, newNonce, clock, random, signal };
  const egress = egressOf(options, path, execute);
  const groups = groupsOf(options, tools);
  const lifetime = createLifetime({ options, spawner, workspaces, transcripts, sandbox, egress, groups, graceMs });
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    shutdown.abort();
    await Promise.all([lifetime.end(), commands.end(), services.end(), workspaces.stop()]);
    await gitCalls.idle();
    await swept;
    await spawner.close();
    await workspaces.close();
  };
  return {
    async prepare(spec, wanted) {
      if (closing !== undefined) throw closed();
      await assertMayRun(spec, sandbox);
      const { workspace, task, sender, nonce, timeoutMs, reach } = spec;
      return lifetime.prepare(
        workspaces.prepare(workspace, { task, sender, nonce, timeoutMs, signal: wanted, scratch: reach.scratch }),
      );
    },
    git: gitCalls.run,
    gitRoom: (spec) => openGitRoom(spec, rooms),
    sandbox: sandbox.report,
    groups: groups.report,
    ...{ agents, hasten: spawner.hasten },
    commands,
    services,
    endStray: strays.endAll,
    ...{ readTranscript: transcripts.read, removeTranscript: transcripts.remove },
    storage: createStorage({ workspaces, transcripts, lifetime, clock }),
    close() {
      closing ??= close();
      return closing;
    },
  };
}

function spawnerOf({ spawner, root, clock, logger }: TaskRunnerOptions, label: string, tools: TreeTools) {
  return createSpawnerClient({ ...spawner, pipesFolder: join(root.workspaces, 'pipes'), label, clock, logger, tools });
}

function groupsOf({ root, logger }: TaskRunnerOptions, { table, pause }: TreeTools): ControlGroups {
  return createControlGroups({
    ...{ proc: '/proc', needed: ['memory', 'pids'], label: sha256Hex(root.workspaces).slice(0, GROUP_DIGITS) },
    ...{ memoryBytes: totalmem(), isOwn: (pid) => descendsFrom(pid, process.pid, table), pause, logger },
  });
}

function egressOf(
  { root, spawner, env, clock, random, logger }: TaskRunnerOptions,
  path: string,
  execute: ReturnType<typeof createExecute>,
): Egress {
  const lookup = createSystemLookup({
    ...{ path, node: spawner.node, env },
    execute: (argv, how) => execute(argv, undefined, how),
  });
  return createEgress({ folder: root.sockets, lookup, clock, random, logger });
}

/** Everything of a runner that has begun and is not over. */
interface Lifetime {
  /** Hands out what `preparing` comes to. */
  prepare(preparing: Promise<Attempt>): Promise<PreparedRun>;
  /** Folders that are in use: prepared, or not given back. */
  inUse(): readonly Attempt[];
  /** Ends all of it: what is prepared is given back, what runs is cancelled. */
  end(): Promise<void>;
}

function createLifetime(parts: RunnerParts): Lifetime {
  const underWay = new Set<Promise<unknown>>();
  const unused = new Map<PreparedRun, Attempt>();
  const live = new Set<TaskRun>();
  /** Those whose folders nobody has given back, with these. */
  const held = new Map<TaskRun, Attempt>();
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
        held.set(run, attempt);
        void run.done.then(() => live.delete(run));
        const release: Run['release'] = (fate) => {
          // Not while anything of the run could still work there.
          if (held.delete(run)) void run.done.then(() => parts.workspaces.release(attempt, fate));
        };
        return { ...run, release };
      },
      discard() {
        if (unused.delete(prepared)) parts.workspaces.release(attempt);
      },
    };
    unused.set(prepared, attempt);
    return prepared;
  }

  return {
    prepare: (preparing) => whileUnderWay(preparing.then(preparedRun)),
    inUse: () => [...unused.values(), ...held.values()],
    async end() {
      ended = true;
      await Promise.allSettled(underWay);
      for (const prepared of [...unused.keys()]) prepared.discard();
      for (const run of live) run.stop({ kind: 'cancel', cause: 'the node is going down' });
      await Promise.all([...live].map((run) => run.done));
      // Nobody has said what became of their work.
      for (const attempt of held.values()) parts.workspaces.release(attempt, UNTOLD);
      held.clear();
    },
  };
}

function closed(): WritError {
  return new WritError('SHUTTING_DOWN', 'the runner is closed');
}

function toolsOf(clock: Clock): TreeTools {
  return { table: createProcessTable(), nowMs: () => clock.monotonicMs(), pause: (ms) => pause(clock, ms) };
}
