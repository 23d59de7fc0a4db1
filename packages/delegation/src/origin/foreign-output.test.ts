import { nextTurn } from '@writ/core';
import { createFakeClock, type FakeClock } from '@writ/testkit/clock';
import { asksBeta, createScriptedRunner, createTestNode, NODE_IDS, type TestNode } from '@writ/testkit/delegation';
import { passUntil } from '@writ/testkit/passing';
import { afterEach, expect, it } from 'vitest';
import type { PeerClient, TaskEvent, WatchedEvent } from '../index.ts';
import { NO_RESULTS } from '../testing/no-results.ts';

const { alpha, beta } = NODE_IDS;

const POLICY = asksBeta('query');

let clock: FakeClock;
let node: TestNode;

afterEach(() => node.close());

function output(seq: number, offset: number, text: string): WatchedEvent {
  const event: TaskEvent = { seq, atMs: 1, epoch: 1, kind: 'output', stream: 'stdout', offset, length: text.length };
  return { event, data: Buffer.from(text) };
}

function outcome(seq: number): WatchedEvent {
  const counts = { truncated: false, stdoutBytes: 0, stderrBytes: 0, endedAtMs: 1 };
  return {
    event: {
      seq,
      atMs: 1,
      epoch: 1,
      kind: 'outcome',
      outcome: { state: 'failed', code: 'WORKER_FAILED', message: '', ...counts },
    },
  };
}

/** Delegates to a peer that tells these events, whatever it is asked. */
async function delegateTo(events: () => readonly WatchedEvent[]): Promise<string> {
  clock = createFakeClock(Date.UTC(2026, 0, 1));
  const client: PeerClient = {
    ...NO_RESULTS,
    submit: async () => ({ accepted: true, state: 'running' }),
    async *watch(_task, afterSeq) {
      yield* events().filter(({ event }) => event.seq > afterSeq);
    },
    cancel: async () => undefined,
    readTranscript: async () => ({ data: new Uint8Array(), next: 0, end: false }),
  };
  node = await createTestNode({
    ...{ clock, policy: POLICY, selfId: alpha, runner: createScriptedRunner({ clock }), peers: { [beta]: client } },
    transcriptCapBytes: 10,
  });
  const spec = { input: { kind: 'argv', argv: ['true'] }, profile: 'query' } as const;
  return (await node.origin.delegate({ to: 'beta', session: 's1', agent: 'tester', spec })).task.id;
}

const until = (condition: () => boolean): Promise<void> => passUntil(clock, condition);

const kept = async (id: string): Promise<string> =>
  Buffer.from((await node.origin.readTranscript(id, 0, 1000)).data).toString();

it.each([
  ['a gap', [output(1, 0, 'one'), output(2, 4, 'two'), outcome(3)]],
  ['a jump far ahead', [output(1, 0, 'one'), output(2, 2 ** 52, 'two'), outcome(3)]],
  ['what was told before', [output(1, 0, 'one'), output(2, 0, 'two'), outcome(3)]],
])('output after %s is a fault of the peer, and nothing of it is kept', async (_name, events) => {
  let told: readonly WatchedEvent[] = events;
  const id = await delegateTo(() => told);
  await until(() => node.origin.get(id)?.unreachable === true);
  expect(node.origin.get(id)?.state).not.toBe('failed');
  expect(await kept(id)).not.toContain('two');
  told = [output(1, 0, 'one'), output(2, 3, 'two'), outcome(3)];
  await until(() => node.origin.get(id)?.state === 'failed');
  expect(await kept(id)).toBe('onetwo');
});

it('output over the cap is counted and not kept', async () => {
  const id = await delegateTo(() => [
    output(1, 0, '0123456'),
    output(2, 7, '789abc'),
    output(3, 13, 'more'),
    output(4, 17, 'and more'),
    outcome(5),
  ]);
  await until(() => node.origin.get(id)?.state === 'failed');
  expect(await kept(id)).toBe('0123456789abc');
  const events = node.database.withReadTx((tx) => node.mirrors.events(tx, id, 2, 2));
  expect(events).toMatchObject([
    { seq: 3, kind: 'dropped', bytes: 4 },
    { seq: 4, kind: 'dropped', bytes: 8 },
  ]);
});

const running = (seq: number): WatchedEvent => ({
  event: { seq, atMs: 1, epoch: 1, kind: 'state', state: 'running' },
});

it('what is no output has an end, over all watches of a task', async () => {
  let past = 0;
  // Each watch brings a few, and breaks: what came before it counts all the same.
  const id = await delegateTo(() => {
    past += 7_000;
    return Array.from({ length: past }, (_, at) => running(at + 1));
  });
  const cursor = (): number => node.origin.get(id)?.cursor ?? 0;
  await until(() => cursor() > 19_900 && node.origin.get(id)?.unreachable === true);
  expect(cursor()).toBeLessThanOrEqual(20_000);
});

it('a peer that tells without end waits, and what else is due runs meanwhile', async () => {
  const id = await delegateTo(() => Array.from({ length: 19_000 }, (_, at) => running(at + 1)));
  const cursor = (): number => node.origin.get(id)?.cursor ?? 0;
  // Twice the burst at 0.2 ms each: the rest has to wait for time to pass.
  for (let turn = 0; turn < 2_000; turn += 1) await nextTurn();
  const before = cursor();
  expect(before).toBeGreaterThan(4_000);
  expect(before).toBeLessThan(19_000);
  await until(() => cursor() === 19_000);
});
