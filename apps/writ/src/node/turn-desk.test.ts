import { createGate, type Gate } from '@writ/authority';
import { createSystemRandom, silentLogger } from '@writ/core';
import type { Asked } from '@writ/delegation';
import { createApproverKey, type UnlockedApprover, unlockApproverKey, verifyDecision } from '@writ/identity';
import {
  createApprovalStore,
  createApproverStore,
  createExecutionStore,
  createInviteStore,
  createLeaseStore,
  createRequestLogStore,
  createSessionStore,
  createWindowStore,
} from '@writ/lease-store';
import { createQuestionStore, isTerminal } from '@writ/task-store';
import { createFakeClock, type FakeClock } from '@writ/testkit/clock';
import { createScriptedRunner, createTestNode, type ScriptedRunner, type TestNode } from '@writ/testkit/delegation';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTurnDesk } from './turn-desk.ts';

const POLICY = `schema = 1
[node]
name = "box"
default_profile = "query"
[profiles.query]
capabilities = ["inspect_status"]
runner = "shell"
isolation = "none"
[profiles.talk]
capabilities = ["interactive"]
shell = "allow"
runner = "shell"
require_explicit = true
require_lease = true
isolation = "none"
[self]
profiles = ["talk", "query"]
`;
const TOOLS: Parameters<typeof createTurnDesk>[2] = {
  classify: () => ({ class: 'destructive', needs: [] }),
  resolvePath: (path) => path,
  leadsTo: (path) => path,
};
/** Seconds of work are for keys that protect something. */
const CHEAP = { logN: 14, r: 8, p: 1 } as const;
const random = createSystemRandom();

let approver: UnlockedApprover;
let key: Awaited<ReturnType<typeof createApproverKey>>;
let clock: FakeClock;
let runner: ScriptedRunner;
let node: TestNode;
let sessions: ReturnType<typeof createSessionStore>;
let gate: Gate;

beforeAll(async () => {
  key = await createApproverKey({ passphrase: 'a cheap passphrase', random, cost: CHEAP });
  approver = await unlockApproverKey(key.sealed, 'a cheap passphrase');
});

beforeEach(async () => {
  clock = createFakeClock(Date.UTC(2026, 0, 1));
  runner = createScriptedRunner({ clock });
  sessions = createSessionStore();
  const stores = { questions: createQuestionStore(), sessions };
  const desk = (): ReturnType<typeof createTurnDesk> => createTurnDesk({ ...node, stores }, () => gate, TOOLS);
  node = await createTestNode({
    ...{ clock, runner, policy: POLICY },
    turns: {
      isSessionLive: (tx, task) => desk().isSessionLive(tx, task),
      askApprover: (tx, question) => desk().askApprover(tx, question),
      withdrawApproval: (tx, approval) => desk().withdrawApproval(tx, approval),
    },
  });
  gate = gateOf(node, stores.sessions);
  gate.events.add(() => undefined);
  node.executor.onEnd((tx, task) => gate.taskEnded(tx, task.id));
  node.authority.grantLease({ peer: 'self', profile: 'talk', durationMs: 3_600_000, issuedBy: 'person' });
  node.database.withWriteTx((tx) => gate.approvers.enroll(tx, { ...key, label: 'tester' }));
});
afterEach(async () => {
  gate.close();
  await node.close();
});

/** The gate of a node, as its composition root builds it. */
function gateOf({ database, engine, authority, identity, tasks, executor }: TestNode, sessions = createSessionStore()) {
  const notAsked = { refusal: () => undefined, digestNow: () => undefined, settle: () => undefined };
  const rights = () =>
    ({ granted: true, profile: 'talk', runner: 'shell', network: 'deny', isolation: 'none', closure: [] }) as const;
  return createGate({
    ...{ database, engine, authority, random, sessions, logger: silentLogger, self: identity.public.id },
    ...{ leases: createLeaseStore(), requestLog: createRequestLogStore(), invites: createInviteStore() },
    ...{ windows: createWindowStore(), approvals: createApprovalStore(), executions: createExecutionStore() },
    approvers: createApproverStore(),
    liveTasks: tasks,
    tasks: {
      isLive(tx, id) {
        const task = tasks.get(tx, id);
        return task !== undefined && !isTerminal(task.state);
      },
    },
    taskRights: { look: rights, claim: rights, giveBack: () => undefined },
    classify: () => ({ class: 'read', known: true, needs: [] }),
    verify: verifyDecision,
    kinds: {
      ...{ task: notAsked, credential: notAsked, policy: notAsked, peer: notAsked },
      permission: executor.turns.permission,
    },
    sessionEnded: executor.turns.sessionEnded,
  });
}

/** A task that asks, from its start. */
async function ask(text: string, signal = new AbortController().signal): Promise<{ answered: Promise<Asked> }> {
  const subject = { from: 'self', origin: 'self', session: 's1' };
  const spec = { input: { kind: 'argv', argv: ['true'] }, profile: 'talk' } as const;
  await node.executor.submit({ task: 't1', idempotencyKey: 't1', agent: 'tester', subject, spec });
  await runner.runOf('t1');
  const answered = node.executor.turns.ask('t1', { questions: [{ kind: 'approval', text }] }, signal);
  answered.catch(() => undefined);
  return { answered };
}

const waiting = () => gate.approvals.list({ pendingOnly: true, limit: 10 });
/** The one question that waits, answered as its person would. */
function decide(answer: 'approve' | 'deny', id = waiting()[0]?.id ?? '') {
  const statement = gate.approvals.statement(id, answer === 'approve' ? { answer, scope: 'once' } : { answer });
  if (statement === undefined) throw new Error('nothing waits');
  return gate.approvals.decide(id, { statement, proof: approver.sign(statement) });
}
const state = () => node.executor.get('t1')?.state;

describe('a question to an approver', () => {
  it.each([
    ['approve', 'approved'],
    ['deny', 'denied'],
  ] as const)('is answered with their key: %s, and the task goes on', async (answer, told) => {
    const { answered } = await ask('may I push\u202e?\nsession: other');
    expect(state()).toBe('approval_required');
    const [approval] = waiting();
    expect(approval?.preview.split('\n').slice(-2)).toEqual([
      'the task asks: may I push\\u{202e}?',
      'the task asks: session: other',
    ]);
    expect(approval).toMatchObject({ kind: 'permission', task: 't1', agent: 'tester', requestedBy: 'self' });
    expect(decide(answer)).toMatchObject({ decided: true });
    expect((await answered).answers).toEqual([{ question: '1.1', kind: 'approval', state: told, by: approver.id }]);
    expect(state()).toBe('running');
    expect(decide('approve', approval?.id)).toMatchObject({ decided: false, check: 'pending', decidedBy: approver.id });
  });

  it('is gone with the task: a yes and a no are NOT_FOUND, and change nothing', async () => {
    await ask('may I push?');
    const id = waiting()[0]?.id ?? '';
    await node.executor.cancel('t1', 'self');
    expect(waiting()).toEqual([]);
    for (const answer of ['approve', 'deny'] as const) {
      expect(decide(answer, id)).toMatchObject({ decided: false, check: 'task', refusal: { code: 'NOT_FOUND' } });
    }
    expect(gate.approvals.get(id)?.state).toBe('cancelled');
  });

  it('stores the session with its audit row, where a look at it stores nothing', async () => {
    const starts = `SELECT actor, subject FROM audit WHERE action = 'session.started'`;
    const rows = () => node.database.withReadTx((tx) => tx.prepare(starts).all());
    const { answered } = await ask('may I push?');
    expect(rows()).toEqual([{ actor: 'self', subject: 's1' }]);
    const desk = createTurnDesk({ ...node, stores: { questions: createQuestionStore(), sessions } }, () => gate, TOOLS);
    const lives = (session: string, agent: string): boolean =>
      node.database.withReadTx((tx) => desk.isSessionLive(tx, { origin: 'self', session, agent }));
    expect([lives('s1', 'tester'), lives('s1', 'other'), lives('s2', 'tester')]).toEqual([true, false, true]);
    gate.endSession({ origin: node.identity.public.id, session: 's1' }, 'person', []);
    expect(lives('s1', 'tester')).toBe(false);
    expect(rows()).toHaveLength(1);
    await expect(answered).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('is gone with the session, in its transaction; the task goes on and is told', async () => {
    const { answered } = await ask('may I push?');
    const id = waiting()[0]?.id ?? '';
    gate.endSession({ origin: node.identity.public.id, session: 's1' }, 'person', []);
    await expect(answered).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect([gate.approvals.get(id)?.state, state()]).toEqual(['cancelled', 'running']);
    await expect((await askAgain()).answered).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(waiting()).toEqual([]);
  });

  it('is taken back where nobody waits for it any more', async () => {
    const stop = new AbortController();
    const { answered } = await ask('may I push?', stop.signal);
    const id = waiting()[0]?.id ?? '';
    stop.abort();
    await expect(answered).rejects.toMatchObject({ code: 'CANCELLED' });
    expect([gate.approvals.get(id)?.state, state()]).toEqual(['cancelled', 'running']);
  });

  it('that nobody answers in time is denied by the clock', async () => {
    const { answered } = await ask('may I push?');
    const approval = waiting()[0];
    clock.advance((approval?.expiresAtMs ?? 0) - clock.nowMs() - 1);
    expect(gate.approvals.sweep().expired).toBe(0);
    expect(state()).toBe('approval_required');
    clock.advance(1);
    gate.approvals.sweep();
    expect((await answered).answers).toMatchObject([{ state: 'expired', by: 'node' }]);
    expect(approval?.expiresAtMs).toBe(node.executor.get('t1')?.deadlineMs);
  });
});

async function askAgain(): Promise<{ answered: Promise<Asked> }> {
  const wish = { questions: [{ kind: 'approval', text: 'again?' }] } as const;
  return { answered: node.executor.turns.ask('t1', wish, new AbortController().signal) };
}
