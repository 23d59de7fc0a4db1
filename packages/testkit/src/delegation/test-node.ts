import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Authority, createAuthority, type LeaseRequest } from '@writ/authority';
import { type Clock, createSystemRandom, type Logger, silentLogger, WritError } from '@writ/core';
import { type Database, openDatabase } from '@writ/database';
import {
  type AuthorityRecords,
  createExecutor,
  createFileTranscripts,
  createLocalPeerClient,
  createOrigin,
  type EvidenceKit,
  type Executor,
  type LeaseAnswer,
  type Origin,
  type OriginOptions,
  type PeerClient,
  type SideWork,
  type TaskDoors,
  type TaskRunner,
  type TranscriptMirror,
  type TurnDesk,
} from '@writ/delegation';
import type { NodeIdentity } from '@writ/identity';
import {
  createApprovalStore,
  createExecutionStore,
  createInviteStore,
  createLeaseStore,
  createRequestLogStore,
  createWindowStore,
} from '@writ/lease-store';
import { createPolicyEngine, type PolicyEngine } from '@writ/policy';
import {
  createMirrorStore,
  createQuestionStore,
  createRemovalStore,
  createTaskStore,
  type MirrorStore,
  type TaskStore,
} from '@writ/task-store';
import { createTestEvidence } from './test-evidence.ts';
import {
  createTestAsking,
  createTestLeaseDesk,
  createTestRecords,
  createTestSessionEnds,
  type TestPerson,
} from './test-gate.ts';
import { NODE_IDS, openTestIdentity } from './test-identities.ts';
import { createTestIssuer, type TestGrant } from './test-issuer.ts';

/** What a test node is made of. */
export interface TestNodeOptions {
  readonly clock: Clock;
  readonly policy: string;
  readonly runner: TaskRunner;
  /** Folder of an earlier node that died; absent: a new one. */
  readonly dir?: string;
  /** One of `NODE_IDS`; absent: beta. */
  readonly selfId?: string;
  readonly slots?: number;
  /** Keeps the database in memory, for tests of many transactions that no restart follows. */
  readonly inMemory?: boolean;
  /** Stands in for its database, to see or to end what happens inside transactions. */
  readonly wrapDatabase?: (real: Database) => Database;
  /** Puts faults between the executor and its records. */
  readonly wrapTasks?: (tasks: TaskStore) => TaskStore;
  /** How its tasks talk back to it; absent: not at all. */
  readonly doors?: TaskDoors;
  /** What its tasks have started besides their own processes; absent: nothing. */
  readonly sideWork?: SideWork;
  /** What its tasks ask goes by; absent parts: every session lives, and no approver is enrolled. */
  readonly turns?: Partial<TurnDesk>;
  /** Whether a session that it asks in lives; absent: each does. */
  readonly sessionLives?: OriginOptions['sessionLives'];
  /** The same between the origin and its records, and its copies of transcripts. */
  readonly wrapMirrors?: (mirrors: MirrorStore) => MirrorStore;
  readonly wrapTranscripts?: (transcripts: TranscriptMirror) => TranscriptMirror;
  /** Puts faults into what it makes and checks evidence with. */
  readonly wrapEvidence?: (evidence: EvidenceKit) => EvidenceKit;
  /** Somebody can answer questions; absent: nobody. */
  readonly enrol?: boolean;
  /** What its first writs pass on; absent: everything, for an hour. */
  readonly grant?: TestGrant;
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
  readonly identity: NodeIdentity;
  readonly evidence: EvidenceKit;
  readonly executor: Executor;
  readonly origin: Origin;
  /** What removes tasks asks and tells the authority of this node by it. */
  readonly authorityRecords: AuthorityRecords;
  /** Questions of this node, and who answers them. */
  readonly person: TestPerson;
  /** Asks a person of this node for a lease, in the name of a peer or of `self`. */
  readonly requestLease: (request: LeaseRequest) => LeaseAnswer;
  /** Write transactions that were committed so far. */
  commits(): number;
  /** As when the process dies: nothing is drained, nothing is told. The folder stays for another node. */
  kill(): Promise<void>;
  /** Closes it in order and removes the folder. */
  close(): Promise<void>;
}

const NOBODY_TO_ASK: Omit<TurnDesk, 'questions'> = {
  isSessionLive: () => true,
  askApprover: () => ({ asked: false, code: 'APPROVAL_REQUIRED', message: 'no approver is enrolled' }),
  withdrawApproval: () => {},
  tools: {
    classify: () => ({ class: 'destructive', needs: [] }),
    resolvePath: (path) => path,
    leadsTo: (path) => path,
  },
};

export async function createTestNode(options: TestNodeOptions): Promise<TestNode> {
  const { clock, runner, policy: text, selfId = NODE_IDS.beta, logger = silentLogger } = options;
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'writ-delegation-')));
  const random = createSystemRandom();
  const path = options.inMemory ? ':memory:' : join(dir, 'writ.db');
  const opened = (options.wrapDatabase ?? ((real) => real))(await openDatabase({ path, clock, logger }));
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
  const gateParts = { options: { database, engine, random, logger, ...stores }, authority, self: selfId };
  const asking = createTestAsking({ ...gateParts, tasks, dir });
  const identity = await openTestIdentity(selfId, { dir: join(dir, 'identity'), clock, random });
  const real = createTestEvidence({ dir, identity, engine, clock, random });
  const evidence = options.wrapEvidence?.(real) ?? real;
  const removals = createRemovalStore();
  const common = { database, removals, engine, evidence, clock, random, logger };
  const workspaces = (name: string): string | undefined => engine.snapshot().config.workspaces.get(name)?.path;
  const doors = options.doors ? { doors: options.doors } : {};
  const sideWork = options.sideWork ? { sideWork: options.sideWork } : {};
  const executor = createExecutor({
    ...common,
    tasks,
    mirrors,
    authority,
    runner,
    workspaces,
    slots: options.slots ?? 2,
    questions: asking.questions,
    ...{ ...doors, ...sideWork },
    turns: { ...NOBODY_TO_ASK, questions: createQuestionStore(), ...options.turns },
  });
  const person = await asking.open(executor.taskKind, options.enrol === true);
  const requestLease = createTestLeaseDesk(gateParts, person);
  const clients: Record<string, PeerClient> = { self: createLocalPeerClient(executor, requestLease), ...options.peers };
  const origin = createOrigin({
    ...common,
    mirrors,
    directory: directoryOf(engine, clients),
    issuer: createTestIssuer({ identity, engine, clock, random, ...(options.grant ? { first: options.grant } : {}) }),
    contextOf: (tx, task) => executor.context(tx, task),
    transcriptCapBytes: options.transcriptCapBytes ?? 64 * 1024 * 1024,
    transcripts: options.wrapTranscripts?.(transcripts) ?? transcripts,
    recordSession: (tx, { id, agent }) => {
      const known = person.sessions.get(tx, selfId, id);
      if (known?.endedAtMs !== undefined) throw new WritError('NOT_FOUND', 'the session has ended');
      if (known === undefined) person.sessions.start(tx, { origin: selfId, id, agent });
    },
    ...{ tasks, sessionEnds: createTestSessionEnds(person) },
    sessionLives: options.sessionLives ?? (() => true),
  });
  executor.onEnd((tx, task) => origin.cancelChildren(tx, task.id));
  executor.onEnd((tx, task) => person.gate.taskEnded(tx, task.id));
  return {
    authorityRecords: createTestRecords(stores.approvals, person.sessions),
    ...{ dir, database, tasks, mirrors, engine, authority, identity, evidence, executor, origin, person, requestLease },
    commits: () => commits,
    async kill() {
      person.gate.close();
      await origin.close();
      database.close();
    },
    async close() {
      person.gate.close();
      await origin.close();
      await executor.close(0);
      await runner.close();
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
