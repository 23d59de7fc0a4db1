import {
  type ApproverProof,
  type Clock,
  createSystemRandom,
  type DecisionStatement,
  nodeIdFromBase32,
  type Random,
  sha256Hex,
  silentLogger,
} from '@writ/core';
import { type Database, openDatabase } from '@writ/database';
import {
  type ApprovalScope,
  createApprovalStore,
  createApproverStore,
  createExecutionStore,
  createInviteStore,
  createLeaseStore,
  createRequestLogStore,
  createSessionStore,
  createWindowStore,
} from '@writ/lease-store';
import { createPolicyEngine, type PolicyEngine } from '@writ/policy';
import { writeRequest } from '../actions/stored-request.ts';
import type { ActionRequest } from '../actions/types.ts';
import type { DecideOutcome, Question } from '../approvals/types.ts';
import { createAuthority } from '../authority.ts';
import { writeBasis } from '../executions/basis.ts';
import type { CommandFacts, CommandRights, Proposal } from '../executions/types.ts';
import { createGate, type Gate, type GateOptions } from '../gate.ts';
import type { Asker, AuthorityEvent, KindRules } from '../record-types.ts';
import type { Authority } from '../types.ts';

const SELF_ID = nodeIdFromBase32('b'.repeat(32));
export const OTHER_ID = nodeIdFromBase32('a'.repeat(32));
const START_MS = 1_800_000_000_000;
export const HOUR_MS = 3_600_000;

/** Policy of a node whose own agent may change its services, with a lease. */
export const GATE_POLICY = `schema = 1
[node]
name = "beta"
[leases]
max = "24h"
[workspaces.app]
path = "."
[profiles.query]
capabilities = ["inspect_status"]
runner = "shell"
isolation = "none"
[profiles.ops]
capabilities = ["read_repo", "edit_repo", "run_tests", "manage_services", "destructive"]
shell = "allow"
runner = "shell"
isolation = "none"
require_explicit = true
require_lease = true
[profiles.dev]
capabilities = ["read_repo", "edit_repo", "run_tests"]
shell = "allow"
runner = "shell"
isolation = "none"
require_explicit = true
require_lease = true
[self]
profiles = ["query", "ops", "dev"]
workspaces = ["app"]
may_request_lease = true
`;

/** What runs a gated command, and how far it reaches. */
const ON_THIS_MACHINE = { runner: 'shell', network: 'deny', isolation: 'none' } as const;

/** Session A and session B of one agent of this machine. */
export const IN_A: Asker = { origin: SELF_ID, session: 'a', agent: 'agent', requestedBy: 'self' };
export const IN_B: Asker = { ...IN_A, session: 'b' };
export const NGINX = `${SELF_ID}/service/nginx`;

/** A node's gate on a real database and engine, its approver signing with a secret that only the fixture knows. */
export interface GateFixture {
  readonly database: Database;
  readonly engine: PolicyEngine;
  readonly authority: Authority;
  readonly gate: Gate;
  readonly options: GateOptions;
  readonly events: AuthorityEvent[];
  readonly liveTasks: Set<string>;
  /** What kinds outside authority were told of. */
  readonly settled: string[];
  /** What a task's grant holds; empty: nothing is granted. */
  readonly taskClosure: string[];
  /** What the rules say of every command from now on; empty: what they said before. */
  readonly reclassified: Writable<CommandFacts>;
  move(ms: number): void;
  /** Moves the wall clock alone. */
  jump(ms: number): void;
  /** A question of kind `permission`. */
  ask(change?: Partial<Question>): ReturnType<Gate['approvals']['ask']>;
  /** A restart of nginx under `ops`. */
  proposal(change: Partial<Proposal> & { readonly idempotencyKey: string }): Proposal;
  propose(change?: Partial<Proposal>): ReturnType<Gate['executions']['propose']>;
  /** Answers as the enrolled approver, a yes in the first scope unless said otherwise. */
  answer(id: string, answer: 'approve' | 'deny', scope?: ApprovalScope, by?: string): DecideOutcome;
  proofOf(statement: DecisionStatement, by?: string): ApproverProof;
  /** Every row of the approval tables, to compare. */
  rows(): unknown;
  close(): void;
}

type Writable<T> = { -readonly [K in keyof T]?: T[K] };

/** A clock of a test: it stands until it is moved. */
function createStandingClock(): { clock: Clock; move(ms: number): void; jump(ms: number): void } {
  let nowMs = START_MS;
  let aheadMs = 0;
  const stop = () => () => {};
  const clock: Clock = { nowMs: () => nowMs + aheadMs, monotonicMs: () => nowMs, setTimer: stop, setEvery: stop };
  return {
    clock,
    move(ms) {
      nowMs += ms;
    },
    jump(ms) {
      aheadMs += ms;
    },
  };
}

/** Stands in for a signature: only who knows the statement and the approver's name can make it. */
function sign(approver: string, statement: DecisionStatement): string {
  return sha256Hex(JSON.stringify([approver, statement]));
}

export interface GateFixtureOptions {
  /** Where the database is; in memory unless said otherwise. */
  readonly path?: string;
  readonly policy?: string;
  readonly random?: Random;
  /** Enrol nobody. */
  readonly alone?: boolean;
  /** May stand in for the database, to fail or to end the process inside a transaction. */
  readonly wrapDatabase?: (real: Database) => Database;
}

export async function createGateFixture(fixture: GateFixtureOptions = {}): Promise<GateFixture> {
  const { clock, move, jump } = createStandingClock();
  const opened = await openDatabase({ path: fixture.path ?? ':memory:', clock, logger: silentLogger });
  const database = fixture.wrapDatabase?.(opened) ?? opened;
  const engine = createPolicyEngine({ text: fixture.policy ?? GATE_POLICY, clock, selfId: SELF_ID });
  const reclassified: Partial<CommandFacts> = {};
  const [liveTasks, settled, taskClosure]: [Set<string>, string[], string[]] = [new Set(), [], []];
  const base = {
    ...{ database, engine, logger: silentLogger, random: fixture.random ?? createSystemRandom() },
    ...{ leases: createLeaseStore(), requestLog: createRequestLogStore(), invites: createInviteStore() },
    ...{ windows: createWindowStore(), approvals: createApprovalStore(), executions: createExecutionStore() },
    liveTasks: { countLive: () => 0 },
  };
  const authority = createAuthority(base);
  const other = plainKind(settled);
  const options: GateOptions = {
    ...base,
    ...{ self: SELF_ID, authority, approvers: createApproverStore(), sessions: createSessionStore() },
    tasks: { isLive: (_, task) => liveTasks.has(task) },
    taskRights: rightsOfTasks(taskClosure),
    classify: (execution) => ({ ...execution, ...reclassified }),
    verify: ({ id }, proof, statement) => proof.kind === 'passphrase' && proof.signature === sign(id, statement),
    kinds: { task: other, permission: other, credential: other, policy: other, peer: other },
  };
  const gate = createGate(options);
  const events: AuthorityEvent[] = [];
  gate.events.add((event) => events.push(event));
  prepare(options, gate, fixture.alone === true);
  return {
    ...{
      database,
      engine,
      authority,
      gate,
      options,
      events,
      liveTasks,
      settled,
      taskClosure,
      reclassified,
      move,
      jump,
    },
    ...verbs(options, gate),
    close() {
      gate.close();
      database.close();
    },
  };
}

/** Both sessions, and one approver. */
function prepare({ database, sessions }: GateOptions, gate: Gate, isAlone: boolean): void {
  database.withWriteTx((tx) => {
    for (const { origin, session, agent } of [IN_A, IN_B]) sessions.start(tx, { origin, id: session, agent });
  });
  if (isAlone || gate.approvers.list().length > 0) return;
  database.withWriteTx((tx) => gate.approvers.enroll(tx, approverNamed('ap-1')));
}

/** Audit rows of sessions that began: who began which. */
export function startsOf({ database }: Pick<GateFixture, 'database'>): readonly unknown[] {
  const sql = `SELECT actor, subject FROM audit WHERE action = 'session.started'`;
  return database.withReadTx((tx) => tx.prepare(sql).all());
}

export function approverNamed(id: string) {
  return { id, kind: 'passphrase', publicKey: `key of ${id}`, label: id };
}

function plainKind(settled: string[]): KindRules {
  return {
    refusal: () => undefined,
    digestNow: (_, { digest }) => digest,
    settle: (_, { id, state }) => settled.push(`${id}: ${state}`),
  };
}

function rightsOfTasks(closure: readonly string[]): CommandRights {
  const look: CommandRights['look'] = (_, { profile }) => ({ granted: true, profile, closure, ...ON_THIS_MACHINE });
  return { look, claim: look, giveBack: () => {} };
}

function verbs(options: GateOptions, gate: Gate) {
  const { database } = options;
  let keys = 0;
  const proofOf = (statement: DecisionStatement, by = 'ap-1'): ApproverProof => ({
    ...{ kind: 'passphrase', approver: by },
    signature: sign(by, statement),
  });
  return {
    proofOf,
    ask: (change: Partial<Question> = {}) => database.withWriteTx((tx) => gate.approvals.ask(tx, question(change))),
    proposal,
    propose(change: Partial<Proposal> = {}) {
      keys += 1;
      return gate.executions.propose({ ...proposal({ idempotencyKey: `key ${keys}`, ...change }) });
    },
    answer(id: string, answer: 'approve' | 'deny', scope?: ApprovalScope, by?: string): DecideOutcome {
      const first = gate.approvals.get(id)?.scopes[0] ?? 'once';
      const said = answer === 'deny' ? { answer } : { answer, scope: scope ?? first };
      const statement = gate.approvals.statement(id, said);
      if (statement === undefined) throw new Error(`no approval ${id}`);
      return gate.approvals.decide(id, { statement, proof: proofOf(statement, by) });
    },
    rows: () =>
      database.withReadTx((tx) =>
        ['approval', 'window', 'execution', 'lease'].map((table) =>
          tx.prepare(`SELECT * FROM ${table} ORDER BY id`).all(),
        ),
      ),
  };
}

function question(change: Partial<Question>): Question {
  return {
    ...{ kind: 'permission', asker: IN_A, digest: sha256Hex('something'), subject: {}, scopes: ['once'] },
    ...{ preview: { shown: true, text: 'something' }, lifetimeMs: HOUR_MS },
    ...change,
  };
}

const RESTART: ActionRequest = {
  ...{ origin: SELF_ID, session: 'a', agent: 'agent' },
  ...{ argv: ['systemctl', 'restart', 'nginx'], inner: [], cwd: '/', profile: 'ops' },
  ...ON_THIS_MACHINE,
};

/** A restart of nginx under `ops`. */
function proposal(change: Partial<Proposal> & { readonly idempotencyKey: string }): Proposal {
  const asker = change.asker ?? IN_A;
  const subject = { from: asker.requestedBy, origin: asker.origin, session: asker.session };
  return {
    ...{ asker, class: 'config-mutation', known: true, needs: ['manage_services'], target: NGINX, profile: 'ops' },
    ...{ digest: sha256Hex('restart nginx'), request: writeRequest(RESTART) },
    basis: writeBasis({ subject, ask: { chain: [], profile: 'ops', workspace: 'app', input: 'argv' } }),
    ...{ preview: { shown: true, text: 'argument 0: systemctl' }, lifetimeMs: HOUR_MS },
    ...change,
  };
}
