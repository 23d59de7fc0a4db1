import { WritError } from '@writ/core';
import type { WriteTx } from '@writ/database';
import { createFakeClock, type FakeClock } from '@writ/testkit/clock';
import {
  createScriptedRunner,
  createTestNode,
  type ScriptedRunner,
  submitTrue,
  type TestNode,
} from '@writ/testkit/delegation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AskedAnswer, AskWish, Reply, TurnDesk } from '../../turn-types.ts';
import type { SubmitRequest, WatchedEvent } from '../../types.ts';

const POLICY = `schema = 1
[node]
name = "box"
default_profile = "mute"
[profiles.talk]
capabilities = ["interactive"]
runner = "shell"
isolation = "none"
shell = "allow"
require_explicit = true
require_lease = true
[profiles.mute]
capabilities = ["inspect_status"]
runner = "shell"
isolation = "none"
commands = [["true"]]
[self]
profiles = ["talk", "mute"]
`;

const SECRET = 'correct-horse-battery';
const forever = new AbortController().signal;

let clock: FakeClock;
let runner: ScriptedRunner;
let node: TestNode;
let sessionLives: boolean;
let approver: ReturnType<typeof createApprover>;

/** An approver that a test answers for: what was asked, and what was taken back. */
function createApprover() {
  const asked: Parameters<TurnDesk['askApprover']>[1][] = [];
  const withdrawn: string[] = [];
  let refusal: { readonly code: string; readonly message: string } | undefined;
  return {
    asked,
    withdrawn,
    refuse(code: string) {
      refusal = { code, message: `because of ${code}` };
    },
    desk: {
      askApprover(_tx: WriteTx, question: Parameters<TurnDesk['askApprover']>[1]) {
        if (refusal !== undefined) return { asked: false as const, ...refusal };
        asked.push(question);
        return { asked: true as const, approval: `a${asked.length}` };
      },
      withdrawApproval: (_tx: WriteTx, approval: string) => void withdrawn.push(approval),
    },
  };
}

beforeEach(async () => {
  clock = createFakeClock(Date.UTC(2026, 0, 1));
  runner = createScriptedRunner({ clock });
  sessionLives = true;
  approver = createApprover();
  node = await createTestNode({
    ...{ clock, runner, policy: POLICY },
    turns: { isSessionLive: () => sessionLives, ...approver.desk },
  });
  node.authority.grantLease({ peer: 'self', profile: 'talk', durationMs: 3_600_000, issuedBy: 'person' });
});
afterEach(() => node.close());

function request(task: string, profile = 'talk'): SubmitRequest {
  return submitTrue(task, { spec: { input: { kind: 'argv', argv: ['true'] }, profile } });
}

async function start(task = 't1', profile = 'talk'): Promise<void> {
  const answer = await node.executor.submit(request(task, profile));
  if (!answer.accepted) throw new Error(answer.decision.message);
  await runner.runOf(task);
}

const ask = (wish: string | AskWish, signal: AbortSignal = forever, task = 't1') =>
  node.executor.turns.ask(
    task,
    typeof wish === 'string' ? { questions: [{ kind: 'input', text: wish }] } : wish,
    signal,
  );
const words = (text: string, question = '1.1', key = text): Reply => ({
  question,
  key,
  content: { kind: 'input', text },
});
const secret = (question = '1.1', key = 'k'): Reply & { content: { kind: 'credential' } } => ({
  ...{ question, key },
  content: { kind: 'credential', secret: Buffer.from(SECRET) },
});
const reply = (answer: Reply, by = 'self', task = 't1') => node.executor.turns.reply(task, answer, by);
const stateOf = (task = 't1') => node.executor.get(task)?.state;
const rows = () =>
  node.database.withReadTx((tx) =>
    tx.prepare('SELECT id, state, answer, settled_by AS by FROM question ORDER BY n').all(),
  );
const codeOf = (fn: () => unknown): string => {
  try {
    fn();
    return 'OK';
  } catch (error) {
    return error instanceof WritError ? error.code : String(error);
  }
};

/** Every event of a task so far, the outcome's included where it has one. */
async function events(task = 't1'): Promise<WatchedEvent['event'][]> {
  const found: WatchedEvent['event'][] = [];
  const last = node.executor.get(task)?.lastSeq ?? 0;
  for await (const { event } of node.executor.watch(task, 0, forever)) {
    found.push(event);
    if (event.seq >= last) break;
  }
  return found;
}
const turnsTold = async () =>
  (await events()).flatMap((event) =>
    event.kind === 'state' ? [`${event.state}: ${(event.turn?.questions ?? []).map(({ id }) => id).join(' ')}`] : [],
  );

describe('a task that asks', () => {
  it('requires input until every question of the turn is answered, then goes on', async () => {
    await start();
    const asked = ask({
      questions: [
        { kind: 'input', text: 'which branch?' },
        { kind: 'input', text: 'really?', choices: ['yes', 'no'] },
      ],
    });
    expect(stateOf()).toBe('input_required');
    expect(node.executor.turns.turn('t1')).toMatchObject({
      turn: 1,
      questions: [
        { id: '1.1', kind: 'input', text: 'which branch?' },
        { id: '1.2', choices: ['yes', 'no'] },
      ],
    });
    expect(reply(words('yes', '1.2'))).toEqual({ question: '1.2', state: 'input_required', open: 1 });
    expect(reply(words('main'))).toEqual({ question: '1.1', state: 'running', open: 0 });
    expect(await asked).toEqual({
      turn: 1,
      answers: [
        { question: '1.1', kind: 'input', state: 'answered', text: 'main', by: 'self' },
        { question: '1.2', kind: 'input', state: 'answered', text: 'yes', by: 'self' },
      ],
    });
    // What was asked before it, and is answered by now, is told to nobody any more.
    expect((await turnsTold()).slice(-3)).toEqual(['input_required: ', 'input_required: 1.1', 'running: ']);
    const again = ask('and now?');
    expect(node.executor.turns.turn('t1')).toMatchObject({ turn: 2, questions: [{ id: '2.1' }] });
    reply(words('nothing', '2.1'));
    await again;
    (await runner.runOf('t1')).exit(0);
    for await (const _ of node.executor.watch('t1', 0, forever)) void _;
    expect(stateOf()).toBe('completed');
  });

  it('asks in one turn what is asked while something is open, and shows what the oldest question needs', async () => {
    await start();
    const first = ask('one?');
    const second = ask({ questions: [{ kind: 'credential', text: 'token?' }] });
    expect([stateOf(), node.executor.turns.turn('t1')?.questions.map(({ id }) => id)]).toEqual([
      'input_required',
      ['1.1', '1.2'],
    ]);
    reply(words('x'));
    expect(stateOf()).toBe('credential_required');
    expect((await first).answers).toHaveLength(1);
    reply(secret('1.2'));
    expect(stateOf()).toBe('running');
    expect((await second).answers[0]).toMatchObject({ state: 'answered', text: SECRET });
  });

  it('shows no control character of a question', async () => {
    await start();
    const asked = ask('two\nlines \u001b[31m\u202e');
    expect(node.executor.turns.turn('t1')?.questions[0]?.text).toBe('two\nlines \\u{1b}[31m\\u{202e}');
    reply(words('x'));
    await asked;
  });

  it.each([
    ['no question', { questions: [] }],
    ['too many', { questions: Array.from({ length: 17 }, () => ({ kind: 'input' as const, text: 'x' })) }],
    ['a blank one', { questions: [{ kind: 'input', text: ' \n' }] }],
    ['a long one', { questions: [{ kind: 'input', text: 'x'.repeat(4097) }] }],
    ['choices of a credential', { questions: [{ kind: 'credential', text: 'x', choices: ['a'] }] }],
    ['one choice twice', { questions: [{ kind: 'input', text: 'x', choices: ['a', 'a'] }] }],
    ['no time', { questions: [{ kind: 'input', text: 'x' }], timeoutMs: 0 }],
    ['a century', { questions: [{ kind: 'input', text: 'x' }], timeoutMs: 3_155_760_000_000 }],
    ['a fate of no credential', { questions: [{ kind: 'credential', text: 'x', previous: 'refused' }] }],
  ] as const)('is refused with %s', async (_, wish: AskWish) => {
    await start();
    await expect(ask(wish)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    expect([rows(), stateOf()]).toEqual([[], 'running']);
  });

  it('has at most sixteen questions open', async () => {
    await start();
    const stop = new AbortController();
    const questions = Array.from({ length: 16 }, () => ({ kind: 'input' as const, text: 'x' }));
    const asked = ask({ questions }, stop.signal);
    await expect(ask('one more')).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    stop.abort();
    await expect(asked).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(new Set(rows().map((row) => (row as { state: string }).state))).toEqual(new Set(['withdrawn']));
    expect(stateOf()).toBe('running');
  });

  it('is refused without `interactive`, with what to do, and leaves nothing', async () => {
    await start('t2', 'mute');
    const before = node.executor.get('t2');
    await expect(ask('x', forever, 't2')).rejects.toMatchObject({
      code: 'GRANT_EXCEEDED',
      nextSteps: expect.arrayContaining([]),
    });
    expect(node.executor.get('t2')).toEqual(before);
    expect(rows()).toEqual([]);
  });

  it('is told what was not answered in time, and goes on', async () => {
    await start();
    const asked = ask({ questions: [{ kind: 'input', text: 'x' }], timeoutMs: 5000 });
    clock.advance(5000);
    expect((await asked).answers).toEqual([{ question: '1.1', kind: 'input', state: 'expired', by: 'node' }]);
    expect(stateOf()).toBe('running');
    expect(codeOf(() => reply(words('late')))).toBe('NOT_FOUND');
  });

  it('may run no longer because it waits', async () => {
    await start();
    const asked = ask('x');
    clock.advance((node.executor.get('t1')?.deadlineMs ?? 0) - clock.nowMs());
    await expect(asked).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(node.executor.get('t1')?.outcome?.state).toBe('failed');
  });
});

describe('a reply', () => {
  it('is one however often it comes, and another one hears who was faster', async () => {
    await start();
    const asked = ask('x');
    reply(words('first', '1.1', 'k1'), 'wn-a');
    const before = rows();
    expect(reply(words('first', '1.1', 'k1'), 'wn-a')).toMatchObject({ open: 0 });
    expect(codeOf(() => reply(words('other', '1.1', 'k1'), 'wn-a'))).toBe('WRIT_REPLAYED');
    for (const [by, key] of [
      ['wn-a', 'k2'],
      ['wn-b', 'k1'],
    ] as const) {
      expect(() => reply(words('second', '1.1', key), by)).toThrow('by wn-a');
    }
    expect(rows()).toEqual(before);
    expect((await asked).answers[0]).toMatchObject({ text: 'first', by: 'wn-a' });
  });

  it.each([
    ['another question', words('x', '1.2'), 'NOT_FOUND'],
    ['a choice that is none', words('maybe'), 'BAD_REQUEST'],
    ['nothing', words(''), 'BAD_REQUEST'],
    ['too much', words('x'.repeat(65_537)), 'BAD_REQUEST'],
    ['a secret', secret(), 'BAD_REQUEST'],
  ])('with %s changes nothing', async (_, answer, code) => {
    await start();
    const stop = new AbortController();
    const asked = ask({ questions: [{ kind: 'input', text: 'x', choices: ['yes'] }] }, stop.signal);
    const before = [rows(), node.executor.get('t1')];
    expect(codeOf(() => reply(answer))).toBe(code);
    expect([rows(), node.executor.get('t1')]).toEqual(before);
    stop.abort();
    await expect(asked).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('to a task that asks nothing, or is none, is an error', async () => {
    await start();
    expect(codeOf(() => reply(words('x')))).toBe('NOT_FOUND');
    expect(codeOf(() => reply(words('x'), 'self', 'none'))).toBe('NOT_FOUND');
    (await runner.runOf('t1')).exit(0);
    for await (const _ of node.executor.watch('t1', 0, forever)) void _;
    expect(codeOf(() => reply(words('x')))).toBe('NOT_FOUND');
  });
});

describe('a credential', () => {
  it('goes to who asked, once, and is stored nowhere', async () => {
    await start();
    const asked = ask({ questions: [{ kind: 'credential', text: 'token of the registry' }] });
    expect(stateOf()).toBe('credential_required');
    const answer = secret();
    reply(answer);
    expect((await asked).answers[0]).toMatchObject({ state: 'answered', text: SECRET, by: 'self' });
    expect([...answer.content.secret]).toEqual(Array.from(SECRET, () => 0));
    const dump = node.database.withReadTx((tx) =>
      ['question', 'task', 'task_event', 'audit'].map((table) => tx.prepare(`SELECT * FROM ${table}`).all()),
    );
    expect(JSON.stringify(dump)).toContain('token of the registry');
    expect(JSON.stringify(dump)).not.toContain(SECRET);
  });

  it('that is refused by this node is zeroed all the same', async () => {
    await start();
    const answer = secret();
    expect(codeOf(() => reply(answer))).toBe('NOT_FOUND');
    expect(answer.content.secret.every((byte) => byte === 0)).toBe(true);
  });

  it('is asked for again, saying what became of the one before', async () => {
    await start();
    const credential = { kind: 'credential', text: 'token' } as const;
    const first = ask({ questions: [credential] });
    reply(secret());
    await first;
    const second = ask({ questions: [{ ...credential, previous: 'refused' }] });
    expect(node.executor.turns.turn('t1')?.questions[0]).toMatchObject({ id: '2.1', previous: 'refused' });
    reply(secret('2.1'));
    expect((await second).answers[0]?.text).toBe(SECRET);
  });
});

describe('credentials without end', () => {
  it('are given to no task: what its run does not take as a secret it never gets', async () => {
    await start();
    const answers: AskedAnswer[] = [];
    for (const turn of [1, 2, 3]) {
      const ids = Array.from({ length: 11 }, (_, at) => `${turn}.${at + 1}`);
      const asked = ask({ questions: ids.map((id) => ({ kind: 'credential', text: id })) });
      for (const id of ids) reply(secret(id, id));
      answers.push(...(await asked).answers);
    }
    expect(answers.filter(({ text }) => text === SECRET)).toHaveLength(32);
    expect(answers[32]).toEqual({
      ...{ question: '3.11', kind: 'credential', state: 'denied', by: 'node' },
      message: expect.stringContaining('as many credentials as one is'),
    });
  });
});

describe('a question to an approver', () => {
  const permission: AskWish = { questions: [{ kind: 'approval', text: 'may I push?' }] };
  const settle = (state: 'approved' | 'denied' | 'expired' | 'cancelled', id = 'a1') =>
    node.database.withWriteTx((tx) =>
      node.executor.turns.permission.settle(tx, { id, kind: 'permission', state, decidedBy: 'ap-1' } as never),
    );

  it.each([
    ['approved', 'approved'],
    ['denied', 'denied'],
    ['expired', 'expired'],
    ['cancelled', 'withdrawn'],
  ] as const)('that is %s lets the task go on as %s, and no reply answers it', async (state, told) => {
    await start();
    const asked = ask(permission);
    expect(stateOf()).toBe('approval_required');
    expect(node.executor.turns.turn('t1')?.questions[0]).toMatchObject({ kind: 'approval', approval: 'a1' });
    expect(codeOf(() => reply(words('yes')))).toBe('NOT_APPROVER');
    settle(state);
    expect((await asked).answers).toEqual([{ question: '1.1', kind: 'approval', state: told, by: 'ap-1' }]);
    expect(stateOf()).toBe('running');
    settle('denied');
    expect(rows()).toMatchObject([{ state: told }]);
  });

  it('is about these words of this task, and nothing that is not open', async () => {
    await start();
    const stop = new AbortController();
    const asked = ask(permission, stop.signal);
    const { digestNow, refusal } = node.executor.turns.permission;
    const now = () =>
      node.database.withReadTx((tx) => [
        digestNow(tx, { id: 'a1' } as never),
        refusal(tx, { id: 'a1' } as never)?.code,
      ]);
    expect(now()).toEqual([approver.asked[0]?.digest, undefined]);
    expect(approver.asked[0]).toMatchObject({
      lines: [{ label: 'the task asks', text: 'may I push?' }],
      subject: { task: 't1', question: '1.1' },
    });
    stop.abort();
    await expect(asked).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(approver.withdrawn).toEqual(['a1']);
    expect(now()).toEqual([undefined, 'NOT_FOUND']);
  });

  it('is denied at once where nobody could ever answer, and nothing waits', async () => {
    approver.refuse('APPROVAL_REQUIRED');
    await start();
    expect((await ask(permission)).answers).toMatchObject([
      { state: 'denied', message: 'because of APPROVAL_REQUIRED' },
    ]);
    expect((await turnsTold()).slice(-1)).toEqual(['running: ']);
  });

  it('of a session that is gone is an error, with no row and no event', async () => {
    approver.refuse('NOT_FOUND');
    await start();
    const before = node.executor.get('t1');
    await expect(ask(permission)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect([rows(), node.executor.get('t1')]).toEqual([[], before]);
  });
});

describe('what vanishes while it is answered', () => {
  it.each([
    ['a cancel', () => void node.executor.cancel('t1', 'self')],
    ['a lease that is revoked', () => void node.authority.revokeLease(node.authority.listLeases({})[0]?.id ?? '', 'p')],
    [
      'a policy that allows it no more',
      () => void node.engine.reload(POLICY.replace('["talk", "mute"]', '["mute"]'), { acceptWidening: true }),
    ],
    ['its process', async () => (await runner.runOf('t1')).exit(3)],
  ])('ends the questions with the task by %s, in its transaction; a reply is NOT_FOUND', async (_, vanish) => {
    await start();
    const asked = ask('x');
    asked.catch(() => undefined);
    await vanish();
    for await (const _ of node.executor.watch('t1', 0, forever)) void _;
    await expect(asked).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const before = [rows(), node.executor.get('t1')];
    expect(rows()).toMatchObject([{ state: 'ended', answer: null }]);
    expect(codeOf(() => reply(words('late')))).toBe('NOT_FOUND');
    expect([rows(), node.executor.get('t1')]).toEqual(before);
  });

  it('takes no reply, and asks nothing, from the moment that a cancel is stored', async () => {
    runner.obeyStops(false);
    await start();
    const asked = ask('x');
    asked.catch(() => undefined);
    const cancelled = node.executor.cancel('t1', 'self');
    expect(stateOf()).toBe('input_required');
    const before = [rows(), node.executor.get('t1')];
    expect(codeOf(() => reply(words('late')))).toBe('NOT_FOUND');
    await expect(ask('y')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect([rows(), node.executor.get('t1')]).toEqual(before);
    (await runner.runOf('t1')).end({ kind: 'cancel', cause: 'self' });
    expect((await cancelled).state).toBe('cancelled');
    await expect(asked).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('takes no reply, and asks nothing, once the session has ended', async () => {
    await start();
    const asked = ask('x');
    asked.catch(() => undefined);
    sessionLives = false;
    const before = [rows(), node.executor.get('t1')];
    expect(codeOf(() => reply(words('late')))).toBe('NOT_FOUND');
    await expect(ask('y')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect([rows(), node.executor.get('t1')]).toEqual(before);
    node.database.withWriteTx((tx) =>
      node.executor.turns.sessionEnded(tx, { origin: node.identity.public.id, session: 's1' }),
    );
    await expect(asked).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect([rows(), stateOf()]).toMatchObject([[{ state: 'ended' }], 'running']);
  });

  it('leaves what other sessions ask', async () => {
    await start();
    const asked = ask('x');
    for (const key of [
      { origin: node.identity.public.id, session: 's2' },
      { origin: 'wn-other', session: 's1' },
    ]) {
      node.database.withWriteTx((tx) => node.executor.turns.sessionEnded(tx, key));
    }
    reply(words('still'));
    expect((await asked).answers[0]?.text).toBe('still');
  });

  it.each([
    ['lost', POLICY, 'lost'],
    ['made again', POLICY.replace('[profiles.mute]', 'retry = "safe"\n[profiles.mute]'), 'running'],
  ])('ends the questions of an attempt that is %s with the node', async (_, policy, state) => {
    await node.close();
    node = await createTestNode({ clock, runner, policy, turns: approver.desk });
    node.authority.grantLease({ peer: 'self', profile: 'talk', durationMs: 3_600_000, issuedBy: 'person' });
    await start();
    const asked = ask({ questions: [{ kind: 'approval', text: 'x' }] });
    asked.catch(() => undefined);
    await node.kill();
    const after = createScriptedRunner({ clock });
    node = await createTestNode({ clock, runner: after, policy, dir: node.dir, turns: approver.desk });
    await node.executor.recover();
    expect(rows()).toMatchObject([{ state: 'ended' }]);
    expect(approver.withdrawn).toEqual(['a1']);
    expect(codeOf(() => reply(words('late')))).toBe('NOT_FOUND');
    if (state === 'running') await after.runOf('t1');
    expect(stateOf()).toBe(state);
    expect(node.executor.turns.turn('t1')).toBeUndefined();
  });
});
