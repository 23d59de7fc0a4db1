import { nodeIdFromBase32, sha256Hex } from '@writ/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGateFixture, GATE_POLICY, type GateFixture, HOUR_MS, startsOf } from '../testing/gate-fixture.ts';
import { type AskingTask, createTaskQuestions, type TaskQuestions, type TaskWish } from './task-questions.ts';

const PEER = nodeIdFromBase32('c'.repeat(32));
const DAY_MS = 24 * HOUR_MS;
const POLICY = `${GATE_POLICY}
[peers.alpha]
id = "${PEER}"
profiles = ["query", "dev"]
workspaces = ["app"]
`;
const TASK: AskingTask = { id: 't1', sender: PEER, origin: PEER, session: 's1', agent: 'agent-1' };
const RUN: TaskWish = { kind: 'task', digest: sha256Hex('run it'), lines: [{ label: 'argument 0', text: 'true' }] };
const LEND: TaskWish = {
  kind: 'lease',
  grant: { profile: 'dev', durationMs: HOUR_MS, maxUses: 1, workspaces: ['app'] },
};

let node: GateFixture;
let questions: TaskQuestions;
const write = <T>(work: (tx: Parameters<Parameters<GateFixture['database']['withWriteTx']>[0]>[0]) => T): T =>
  node.database.withWriteTx(work);
const ask = (task: AskingTask = TASK, wish: TaskWish = RUN) => {
  const outcome = write((tx) => questions.ask(tx, task, wish));
  if (!outcome.asked) throw new Error(outcome.refusal.message);
  return outcome.approval;
};

async function open(alone = false, policy: string = POLICY): Promise<void> {
  node = await createGateFixture({ policy, alone });
  node.liveTasks.add('t1');
  questions = createTaskQuestions({
    ...{ options: node.options, approvals: () => node.gate.approvals, store: node.options.approvals },
    ...{ approvers: node.options.approvers, sessions: node.options.sessions, self: node.options.self },
    showAsker: (from) => ({ label: `who ${from}`, words: 'four-short-words-here' }),
  });
}
beforeEach(() => open());
afterEach(() => node.close());

describe('a question whether a task may run', () => {
  it('is in the session of the task, shows who asks and what would run, and waits for a day', () => {
    expect(ask()).toMatchObject({
      ...{ kind: 'task', digest: sha256Hex('run it'), subject: { task: 't1' }, scopes: ['once'], task: 't1' },
      ...{ origin: PEER, session: 's1', agent: 'agent-1', requestedBy: PEER },
      expiresAtMs: node.database.nowMs() + DAY_MS,
      preview: [
        `asked by: who ${PEER} (four-short-words-here)`,
        ...['agent: agent-1', `session: s1 of ${PEER}`, 'argument 0: true'],
      ].join('\n'),
    });
    expect(write((tx) => node.options.sessions.get(tx, PEER, 's1'))).toMatchObject({ agent: 'agent-1' });
    ask({ ...TASK, id: 't1' });
    expect(startsOf(node)).toEqual([{ actor: PEER, subject: 's1' }]);
  });

  it('of a task of this machine begins at this node, under whatever name its origin has', () => {
    const local = { ...TASK, sender: 'self', origin: 'self', session: 's2' };
    expect(ask(local)).toMatchObject({ origin: node.options.self, session: 's2', requestedBy: 'self' });
    expect(write((tx) => questions.hasEnded(tx, { origin: 'self', session: 's2' }))).toBe(false);
    node.gate.endSession({ origin: node.options.self, session: 's2' }, 'self', []);
    expect(write((tx) => questions.hasEnded(tx, { origin: 'self', session: 's2' }))).toBe(true);
    expect(write((tx) => questions.hasEnded(tx, { origin: 'self', session: 'none' }))).toBe(false);
  });

  it('is refused where the session is another agent’s, and stores nothing then', () => {
    ask();
    const before = node.rows();
    expect(() => ask({ ...TASK, agent: 'other' })).toThrow(expect.objectContaining({ code: 'CONFLICT' }));
    expect(node.rows()).toEqual(before);
  });

  it('is one as long as it waits, and can be withdrawn', () => {
    const { id } = ask();
    expect(ask().id).toBe(id);
    write((tx) => questions.cancel(tx, id));
    expect(write((tx) => questions.get(tx, id))?.state).toBe('cancelled');
    expect(ask().id).not.toBe(id);
  });

  it('is answered for exactly what was shown, once', () => {
    const { id, digest } = ask();
    const use = (of: string) => write((tx) => questions.use(tx, id, of));
    expect(use(digest)).toBe(false);
    node.answer(id, 'approve');
    expect([use(sha256Hex('something else')), use(digest), use(digest)]).toEqual([false, true, false]);
  });

  it('is told of in advance where it could not be asked, whether or not there is a session', async () => {
    const refusal = (wish: TaskWish = RUN) => write((tx) => questions.refusal(tx, TASK, wish));
    expect([refusal(), refusal(LEND)]).toEqual([undefined, undefined]);
    const long: TaskWish = { ...RUN, lines: [{ label: 'argument 0', text: 'x'.repeat(300_000) }] };
    expect(refusal(long)?.code).toBe('BAD_REQUEST');
    node.close();
    await open(true);
    expect(refusal()?.code).toBe('APPROVAL_REQUIRED');
    expect(write((tx) => node.options.sessions.get(tx, PEER, 's1'))).toBeUndefined();
  });
});

describe('a question to lend what a task needs', () => {
  it('lends for its sender, origin and session, and nothing wider', () => {
    const approval = ask(TASK, LEND);
    expect(approval).toMatchObject({ kind: 'lease', task: 't1', expiresAtMs: node.database.nowMs() + DAY_MS });
    const lines = approval.preview.split('\n');
    expect(lines[0]).toBe(`asked by: who ${PEER} (four-short-words-here)`);
    for (const line of [`to peer: alpha (${PEER})`, 'session: s1', 'workspaces: app', 'uses: 1']) {
      expect(lines).toContain(line);
    }
    node.answer(approval.id, 'approve');
    expect(node.authority.listLeases({})).toMatchObject([
      {
        ...{ id: approval.id, peer: PEER, origin: PEER, session: 's1', profile: 'dev' },
        ...{ workspaces: ['app'], maxUses: 1, issuedBy: 'ap-1' },
      },
    ]);
    expect(node.settled).toEqual([`${approval.id}: approved`]);
  });

  it('lends a task of this machine what is `self`’s', () => {
    const approval = ask({ ...TASK, sender: 'self', origin: 'self' }, LEND);
    node.answer(approval.id, 'approve');
    expect(node.authority.listLeases({})).toMatchObject([{ peer: 'self', origin: 'self', session: 's1' }]);
  });

  it('is none for what cannot be lent', () => {
    const bad: TaskWish = { ...LEND, grant: { ...LEND.grant, profile: 'nothing' } };
    expect(() => ask(TASK, bad)).toThrow(expect.objectContaining({ code: 'PROFILE_UNKNOWN' }));
    expect(() => write((tx) => questions.refusal(tx, TASK, bad))).toThrow(/no profile/);
  });
});

describe('what persons decided about a task', () => {
  const decisions = (lease?: string) =>
    write((tx) => questions.decisions(tx, lease === undefined ? { id: 't1' } : { id: 't1', lease }));

  it('are their answers, oldest first, with what lent its lease, and nothing that nobody answered', () => {
    const first = ask();
    node.answer(first.id, 'deny');
    node.move(1000);
    const lending = ask(TASK, LEND);
    node.answer(lending.id, 'approve');
    const expired = ask({ ...TASK }, { ...RUN, digest: sha256Hex('other') });
    write((tx) => questions.cancel(tx, expired.id));
    const named = [first, lending].map(({ id, digest }) => ({ id, digest }));
    expect(decisions()).toEqual({ approvals: named, unseparated: false });
    expect(decisions(lending.id)).toEqual({ approvals: named, unseparated: false });
  });

  it('count what lent its lease to another task, before its own', () => {
    node.liveTasks.add('t0');
    const lending = ask({ ...TASK, id: 't0' }, LEND);
    node.answer(lending.id, 'approve');
    const own = ask();
    node.answer(own.id, 'approve');
    expect(decisions(lending.id).approvals.map(({ id }) => id)).toEqual([lending.id, own.id]);
    expect(decisions().approvals.map(({ id }) => id)).toEqual([own.id]);
  });

  it('are unseparated where the host token lent before there was an approver, and not after', async () => {
    const lend = (issuedBy: string) =>
      node.authority.grantLease({ peer: 'alpha', profile: 'dev', durationMs: HOUR_MS, issuedBy }).id;
    expect([lend('person'), lend('ap-1'), lend('terminal')].map((id) => decisions(id).unseparated)).toEqual([
      ...[false, false, true],
    ]);
    expect([decisions('none').unseparated, decisions().unseparated]).toEqual([false, false]);
    node.close();
    await open(true);
    const before = lend('person');
    node.move(1);
    write((tx) => node.gate.approvers.enroll(tx, { id: 'ap-1', kind: 'passphrase', publicKey: 'key', label: 'ap-1' }));
    node.move(1);
    expect([decisions(before).unseparated, decisions(lend('person')).unseparated]).toEqual([true, false]);
  });

  it('are unseparated where a terminal is taken for an approver', async () => {
    node.close();
    await open(false, `${POLICY}[approvals]\nmode = "terminal"\n`);
    const lease = node.authority.grantLease({ peer: 'alpha', profile: 'dev', durationMs: HOUR_MS, issuedBy: 'person' });
    expect(decisions(lease.id).unseparated).toBe(true);
  });

  it('are unseparated where one of them was answered by a terminal', async () => {
    node.close();
    await open(false, `${POLICY}[approvals]\nmode = "terminal"\n`);
    const byKey = ask();
    node.answer(byKey.id, 'deny');
    expect(decisions()).toMatchObject({ approvals: [{ id: byKey.id }], unseparated: false });
    const { id } = ask(TASK, { ...RUN, digest: sha256Hex('other') });
    const statement = node.gate.approvals.statement(id, { answer: 'approve', scope: 'once' })!;
    expect(node.gate.approvals.decide(id, { statement, proof: { kind: 'terminal' } }).decided).toBe(true);
    expect(decisions().unseparated).toBe(true);
  });

  it('are separated as soon as one approver was there, however many came later', () => {
    node.move(1);
    const lease = node.authority.grantLease({ peer: 'alpha', profile: 'dev', durationMs: HOUR_MS, issuedBy: 'person' });
    node.move(1);
    const second = { id: 'ap-2', kind: 'passphrase', publicKey: 'key', label: 'ap-2' };
    write((tx) => node.gate.approvers.enroll(tx, second, 'ap-1'));
    expect(decisions(lease.id).unseparated).toBe(false);
  });
});
