import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Authority, createAuthority } from '@writ/authority';
import {
  type Clock,
  createSystemRandom,
  digestJson,
  type Json,
  type Logger,
  nodeIdFromBase32,
  silentLogger,
} from '@writ/core';
import { type Database, openDatabase } from '@writ/database';
import {
  createExecutor,
  createFileTranscripts,
  createLocalPeerClient,
  createOrigin,
  type Executor,
  type Origin,
  type OutgoingSubmit,
  type PeerClient,
  type SubmitRequest,
  type TaskDoors,
  type TaskRunner,
  type TranscriptMirror,
} from '@writ/delegation';
import type { WritClaims } from '@writ/identity';
import {
  createApprovalStore,
  createExecutionStore,
  createInviteStore,
  createLeaseStore,
  createRequestLogStore,
  createWindowStore,
} from '@writ/lease-store';
import { createPolicyEngine, type PolicyEngine } from '@writ/policy';
import { createMirrorStore, createTaskStore, type MirrorStore, type TaskStore } from '@writ/task-store';

/** Node ids of the right shape for policies in tests. */
export const NODE_IDS = { alpha: nodeIdFromBase32('a'.repeat(32)), beta: nodeIdFromBase32('b'.repeat(32)) } as const;

/** What a test node is made of. */
export interface TestNodeOptions {
  readonly clock: Clock;
  readonly policy: string;
  readonly runner: TaskRunner;
  /** Folder of an earlier node that died; absent: a new one. */
  readonly dir?: string;
  readonly selfId?: string;
  readonly slots?: number;
  /** Keeps the database in memory, for tests of many transactions that no restart follows. */
  readonly inMemory?: boolean;
  /** Puts faults between the executor and its records. */
  readonly wrapTasks?: (tasks: TaskStore) => TaskStore;
  /** How its tasks talk back to it; absent: not at all. */
  readonly doors?: TaskDoors;
  /** The same between the origin and its records, and its copies of transcripts. */
  readonly wrapMirrors?: (mirrors: MirrorStore) => MirrorStore;
  readonly wrapTranscripts?: (transcripts: TranscriptMirror) => TranscriptMirror;
  /** Absent: 64 MiB. */
  readonly transcriptCapBytes?: number;
  /** Clients of peers by id; `self` is there by itself. */
  readonly peers?: Readonly<Record<string, PeerClient>>;
  readonly logger?: Logger;
}

/** Both ends of a node on a real database with the real engine and authority; only its processes and wires are fakes. */
export interface TestNode {
  readonly dir: string;
  readonly database: Database;
  readonly tasks: TaskStore;
  readonly mirrors: MirrorStore;
  readonly engine: PolicyEngine;
  readonly authority: Authority;
  readonly executor: Executor;
  readonly origin: Origin;
  /** Write transactions that were committed so far. */
  commits(): number;
  /** As when the process dies: nothing is drained, nothing is told. The folder stays for another node. */
  kill(): Promise<void>;
  /** Closes it in order and removes the folder. */
  close(): Promise<void>;
}

export async function createTestNode(options: TestNodeOptions): Promise<TestNode> {
  const { clock, runner, policy: text, selfId = NODE_IDS.beta, logger = silentLogger } = options;
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'writ-delegation-')));
  const random = createSystemRandom();
  const opened = await openDatabase({ path: options.inMemory ? ':memory:' : join(dir, 'writ.db'), clock, logger });
  let commits = 0;
  const database: Database = {
    ...opened,
    withWriteTx: (fn) =>
      opened.withWriteTx((tx) => {
        tx.afterCommit(() => {
          commits += 1;
        });
        return fn(tx);
      }),
  };
  const tasks = (options.wrapTasks ?? ((store) => store))(createTaskStore());
  const mirrors = (options.wrapMirrors ?? ((store) => store))(createMirrorStore());
  const transcripts = createFileTranscripts(join(dir, 'transcripts'));
  const engine = createPolicyEngine({ text, clock, selfId });
  const invites = createInviteStore();
  const stores = {
    ...{ leases: createLeaseStore(), requestLog: createRequestLogStore(), invites, liveTasks: tasks },
    ...{ windows: createWindowStore(), approvals: createApprovalStore(), executions: createExecutionStore() },
  };
  const authority = createAuthority({ database, engine, random, logger, ...stores });
  const common = { database, engine, clock, random, logger };
  const workspaces = (name: string): string | undefined => engine.snapshot().config.workspaces.get(name)?.path;
  const doors = options.doors ? { doors: options.doors } : {};
  const executor = createExecutor({
    ...common,
    tasks,
    mirrors,
    authority,
    runner,
    workspaces,
    slots: options.slots ?? 2,
    ...doors,
  });
  const clients: Record<string, PeerClient> = { self: createLocalPeerClient(executor), ...options.peers };
  const origin = createOrigin({
    ...common,
    mirrors,
    directory: directoryOf(engine, clients),
    issuer: { issue: ({ to, task }) => `writ for ${task} to ${to}` },
    contextOf: (tx, task) => executor.context(tx, task),
    transcriptCapBytes: options.transcriptCapBytes ?? 64 * 1024 * 1024,
    transcripts: options.wrapTranscripts?.(transcripts) ?? transcripts,
    recordSession: () => {},
  });
  executor.onEnd((tx, task) => origin.cancelChildren(tx, task.id));
  return {
    ...{ dir, database, tasks, mirrors, engine, authority, executor, origin },
    commits: () => commits,
    async kill() {
      await origin.close();
      database.close();
    },
    async close() {
      await origin.close();
      await executor.close(0);
      database.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

function directoryOf(
  engine: PolicyEngine,
  clients: Readonly<Record<string, PeerClient>>,
): Parameters<typeof createOrigin>[0]['directory'] {
  return {
    find(labelOrId) {
      const peers = [...engine.snapshot().config.peers.values()];
      return peers.find(({ id, label }) => id === labelOrId || label === labelOrId);
    },
    client(id) {
      const client = clients[id];
      if (!client) throw new Error(`no client for ${id}`);
      return client;
    },
  };
}

/** What the mesh server does for a peer that has proved to be `sender`: the executor behind a `PeerClient`. */
export function createPeerServer(options: {
  readonly executor: Executor;
  readonly sender: string;
  readonly clock: Clock;
  readonly grant: WritClaims['grant'];
  readonly expiresInMs: number;
}): PeerClient {
  const { executor } = options;
  return {
    async submit(outgoing) {
      const answer = await executor.submit(arrived(options, outgoing));
      if (answer.accepted) return { accepted: true, state: answer.task.state };
      const { effect, code, message, nextSteps, generation } = answer.decision;
      const refusal = effect === 'ask' ? 'ask' : 'deny';
      return { accepted: false, decision: { effect: refusal, code, message, nextSteps, generation } };
    },
    watch: (task, afterSeq, signal) => executor.watch(task, afterSeq, signal),
    cancel: async (task) => (await executor.cancel(task, options.sender)).outcome,
    readTranscript: (task, offset, limit) => executor.readTranscript(task, offset, limit),
  };
}

function arrived(
  server: Pick<Parameters<typeof createPeerServer>[0], 'sender' | 'clock' | 'grant' | 'expiresInMs'>,
  outgoing: OutgoingSubmit,
): SubmitRequest {
  const { task, idempotencyKey, spec, session, agent } = outgoing;
  const { sender, grant, clock } = server;
  const issuedAt = Math.floor(clock.nowMs() / 1000);
  const last: WritClaims = {
    v: 1,
    iss: sender,
    aud: NODE_IDS.beta,
    task,
    origin: sender,
    session,
    agent,
    grant,
    depth: 0,
    iat: issuedAt,
    exp: issuedAt + server.expiresInMs / 1000,
    nonce: '0'.repeat(32),
    request: digestJson(spec as unknown as Json),
    generation: 1,
  };
  const subject = { from: sender, origin: sender, session };
  const chain = { hops: [last], ids: [sender], last };
  return { task, idempotencyKey, spec, agent, subject, chain, writs: outgoing.writs };
}
