import { CAPABILITIES } from '@writ/policy';
import { createFakeClock, type FakeClock } from '@writ/testkit/clock';
import {
  asksBeta,
  createPeerLink,
  createPeerServer,
  createScriptedRunner,
  createTestNode,
  type LinkCall,
  type LinkFault,
  NODE_IDS,
  type PeerLink,
  type ScriptedRunner,
  type TestNode,
} from '@writ/testkit/delegation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Asked, AskWish } from '../turn-types.ts';
import type { OutgoingReply } from '../types.ts';

const { alpha, beta } = NODE_IDS;
const SECRET = 'correct-horse-battery';

const BETA_POLICY = `schema = 1
[node]
name = "beta"
[profiles.talk]
capabilities = ["interactive"]
shell = "allow"
runner = "shell"
isolation = "none"
require_explicit = true
require_lease = true
[peers.alpha]
id = "${alpha}"
profiles = ["talk"]
`;
const ALPHA_POLICY = asksBeta('talk');

let clock: FakeClock;
let runner: ScriptedRunner;
let executing: TestNode;
let asking: TestNode;
let link: PeerLink;
let fault: (call: LinkCall, nth: number) => LinkFault | undefined;
let sessionLives: boolean;

beforeEach(async () => {
  clock = createFakeClock(Date.UTC(2026, 0, 1));
  runner = createScriptedRunner({ clock });
  fault = () => undefined;
  sessionLives = true;
  executing = await createTestNode({ clock, runner, policy: BETA_POLICY });
  executing.authority.grantLease({ peer: 'alpha', profile: 'talk', durationMs: 3_600_000, issuedBy: 'person' });
  const server = createPeerServer({ executor: executing.executor, sender: alpha, clock });
  link = createPeerLink({ server, call: (call, nth) => fault(call, nth) });
  asking = await createTestNode({
    ...{ clock, policy: ALPHA_POLICY, selfId: alpha, runner: createScriptedRunner({ clock }) },
    ...{ peers: { [beta]: link }, sessionLives: () => sessionLives },
    grant: {
      grant: { workspaces: [], network: 'deny', maxOutputBytes: 1024, closure: [...CAPABILITIES, 'shell'].sort() },
    },
  });
});
afterEach(async () => {
  await asking.close();
  await executing.close();
});

/** A task of alpha that asks at beta, as soon as alpha knows of it. */
async function ask(kind: 'input' | 'credential' = 'input'): Promise<{ task: string; answered: Promise<Asked> }> {
  const spec = { input: { kind: 'argv', argv: ['true'] }, profile: 'talk' } as const;
  const answer = await asking.origin.delegate({ to: 'beta', spec, session: 's1', agent: 'tester' });
  if (!answer.accepted) throw new Error(answer.decision.message);
  const task = answer.task.id;
  await runner.runOf(task);
  const wish: AskWish = { questions: [{ kind, text: 'well?' }] };
  const answered = executing.executor.turns.ask(task, wish, new AbortController().signal);
  answered.catch(() => undefined);
  await seen(task, `${kind}_required`);
  return { task, answered };
}

/** Waits until alpha was told of a state. */
async function seen(task: string, state: string): Promise<void> {
  const told = asking.origin.watch(task, 0, new AbortController().signal)[Symbol.asyncIterator]();
  for (;;) {
    if (asking.origin.get(task)?.state === state) return void (await told.return?.());
    // Changes of state wait a little for what follows them.
    clock.advance(10);
    await told.next();
  }
}

const words = (more: Partial<OutgoingReply> = {}): OutgoingReply => ({
  ...{ question: '1.1', content: { kind: 'input', text: 'main' }, by: 'person' },
  ...more,
});
function endSession(): void {
  sessionLives = false;
}

const rows = () => executing.database.withReadTx((tx) => tx.prepare('SELECT state, answer FROM question').all());

describe('a reply to a task of a peer', () => {
  it('reaches who asked, in the name of this node, with a line in the audit of both', async () => {
    const { task, answered } = await ask();
    expect(asking.origin.turn(task)).toMatchObject({ turn: 1, questions: [{ id: '1.1', text: 'well?' }] });
    expect(await asking.origin.reply(task, words())).toMatchObject({ state: 'running', open: 0 });
    expect((await answered).answers).toMatchObject([{ text: 'main', by: alpha }]);
    const lines = [asking, executing].flatMap(({ database }) => database.auditTail(50).map(({ action }) => action));
    expect(lines).toEqual(expect.arrayContaining(['mirror.replied', 'task.replied', 'task.asked']));
    await seen(task, 'running');
    expect(asking.origin.turn(task)).toBeUndefined();
  });

  it('is UNREACHABLE over a link that is down, kept nowhere, and one reply however often it is sent', async () => {
    const { task, answered } = await ask();
    fault = (call) => (call === 'reply' ? { kind: 'drop-request' } : undefined);
    await expect(asking.origin.reply(task, words({ key: 'k' }))).rejects.toMatchObject({ code: 'UNREACHABLE' });
    expect(rows()).toMatchObject([{ state: 'open' }]);
    fault = (call) => (call === 'reply' ? { kind: 'drop-answer' } : undefined);
    await expect(asking.origin.reply(task, words({ key: 'k' }))).rejects.toMatchObject({ code: 'UNREACHABLE' });
    fault = (call) => (call === 'reply' ? { kind: 'duplicate' } : undefined);
    expect(await asking.origin.reply(task, words({ key: 'k' }))).toMatchObject({ question: '1.1' });
    await expect(asking.origin.reply(task, words({ key: 'k2' }))).rejects.toMatchObject({ code: 'NOT_PENDING' });
    expect(rows()).toEqual([{ state: 'answered', answer: 'main' }]);
    expect((await answered).answers).toHaveLength(1);
  });

  it.each(['cancel first', 'reply first'])(
    'against a cancel that is under way has an effect before it or none: %s',
    async (order) => {
      runner.obeyStops(false);
      const { task } = await ask();
      let go = (): void => {};
      const until = new Promise<void>((resolve) => {
        go = resolve;
      });
      const held = order === 'cancel first' ? 'reply' : 'cancel';
      fault = (call) => (call === held ? { kind: 'delay', until } : undefined);
      const replied = asking.origin.reply(task, words()).then(
        () => 'OK',
        (error: { code: string }) => error.code,
      );
      const cancelled = asking.origin.cancel(task, 'person');
      if (order === 'reply first') expect(await replied).toBe('OK');
      else while (executing.executor.get(task)?.cancelRequestedAtMs === undefined) await new Promise(setImmediate);
      go();
      if (order === 'cancel first') expect(await replied).toBe('NOT_FOUND');
      while (executing.executor.get(task)?.cancelRequestedAtMs === undefined) await new Promise(setImmediate);
      (await runner.runOf(task)).end({ kind: 'cancel', cause: 'person' });
      expect((await cancelled).state).toBe('cancelled');
      const state = order === 'cancel first' ? 'ended' : 'answered';
      expect(rows()).toMatchObject([{ state }]);
    },
  );

  it.each([
    ['that has ended', async (task: string) => void (await asking.origin.cancel(task, 'person'))],
    ['whose session has ended here', async () => endSession()],
  ])('of a task %s leaves nothing and goes nowhere', async (_, vanish) => {
    const { task } = await ask('credential');
    await vanish(task);
    const secret = Buffer.from(SECRET);
    const credential = words({ content: { kind: 'credential', secret } });
    await expect(asking.origin.reply(task, credential)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(link.calls.reply).toBe(0);
    expect(secret.every((byte) => byte === 0)).toBe(true);
  });

  it('that is a secret is zeroed here, whatever becomes of it, and stands in no row', async () => {
    const { task, answered } = await ask('credential');
    for (const down of [true, false]) {
      fault = (call) => (down && call === 'reply' ? { kind: 'drop-request' } : undefined);
      const secret = Buffer.from(SECRET);
      await asking.origin.reply(task, words({ content: { kind: 'credential', secret } })).catch(() => undefined);
      expect(secret.every((byte) => byte === 0)).toBe(true);
    }
    expect((await answered).answers).toMatchObject([{ text: SECRET }]);
    for (const { database } of [asking, executing]) {
      const dump = database.withReadTx((tx) =>
        (tx.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).pluck().all() as string[]).map((table) =>
          tx.prepare(`SELECT * FROM "${table}"`).all(),
        ),
      );
      expect(JSON.stringify(dump)).toContain('well?');
      expect(JSON.stringify(dump)).not.toContain(SECRET);
    }
  });

  it('to nothing is NOT_FOUND', async () => {
    await expect(asking.origin.reply('none', words())).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
