import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StreamItem } from '../client/index.ts';
import { TASK_TOKEN } from '../testing/fake-node.ts';
import { type Listening, startListening } from '../testing/listening.ts';

let at: Listening;

beforeEach(async () => {
  at = await startListening();
});
afterEach(() => at.stop());

type Item = StreamItem<'events'>;

async function collect(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

function addStates(count: number): void {
  for (let n = 1; n <= count; n += 1) {
    at.node.trail.add({ kind: 'task', action: 'task.running', actor: 'node', subject: `t-${n}` });
  }
}

describe('events', () => {
  it('goes on behind a number, in order and without holes, through more than one page, and ends where it is told to', async () => {
    addStates(600);
    const items = await collect(at.client.stream('events', { after: 1, follow: false }));
    expect(items.map(({ seq }) => seq)).toEqual(Array.from({ length: 600 }, (_, n) => n + 2));
    expect(items[0]).toEqual({ seq: 2, at_ms: 3, kind: 'task', action: 'task.running', actor: 'node', subject: 't-1' });
  });

  it('without a number tells what happens from now on, as it happens', async () => {
    const items = at.client.stream('events', {});
    const first = items.next();
    await listening(1);
    addStates(1);
    expect((await first).value).toMatchObject({ seq: 2, subject: 't-1' });
    await items.return();
    await listening(0);
  });

  it('loses nothing that is written while a page is on its way', async () => {
    addStates(2);
    const seen: number[] = [];
    for await (const { seq } of at.client.stream('events', { after: 0 })) {
      seen.push(seq);
      if (seen.length < 40) addStates(1);
      else break;
    }
    expect(seen).toEqual(Array.from({ length: 40 }, (_, n) => n + 1));
  });

  it('says which kinds there are to whoever asks for another', async () => {
    await expect(collect(at.client.stream('events', { kinds: ['tasks'], follow: false }))).rejects.toMatchObject({
      ...{ code: 'BAD_REQUEST', message: 'there are no events of kind `tasks`' },
      nextSteps: ['one of: lease, task, approval, peer'],
    });
  });

  it('tells the kinds that were asked for, by the same numbers', async () => {
    addStates(2);
    at.node.trail.add({ kind: 'lease', action: 'lease.revoked', actor: 'person' });
    const items = await collect(at.client.stream('events', { after: 0, kinds: ['lease'], follow: false }));
    expect(items.map(({ seq, action }) => [seq, action])).toEqual([
      [1, 'lease.granted'],
      [4, 'lease.revoked'],
    ]);
  });

  it('refuses a number that was never told', async () => {
    await expect(collect(at.client.stream('events', { after: 2 }))).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: 'there is no event 2: the newest is 1',
    });
  });

  it('lets others have their turn between pages of which nothing is shown', async () => {
    addStates(2000);
    let turn = 0;
    const readIn: number[] = [];
    const count = (): void => {
      turn += 1;
      if (readIn.length < 8) setImmediate(count);
    };
    const { auditAfter } = at.node.trail;
    at.node.trail.auditAfter = (after, limit) => {
      readIn.push(turn);
      return auditAfter(after, limit);
    };
    setImmediate(count);
    await collect(at.client.stream('events', { after: 1, kinds: ['lease'], follow: false }));
    expect(readIn).toHaveLength(8);
    expect(new Set(readIn).size).toBe(8);
  });

  it('tells a task of itself and of what it handed on, and neither who did it nor anything else', async () => {
    at.node.children.set('t-child', 't-root').set('t-grandchild', 't-child').set('t-other-child', 't-other');
    for (const subject of ['t-root', 't-child', 't-grandchild', 't-other', 't-other-child']) {
      at.node.trail.add({ kind: 'task', action: 'task.running', actor: 'wn-peer', subject, details: { secret: 1 } });
    }
    at.node.trail.add({ kind: 'approval', action: 'approval.requested', actor: 'self', details: { task: 't-root' } });
    at.node.trail.add({ kind: 'approval', action: 'approval.requested', actor: 'self', details: { task: 't-other' } });
    at.node.trail.add({ kind: 'lease', action: 'lease.granted', actor: 'person', subject: 't-root' });
    const items = await collect(at.clientWith(TASK_TOKEN).stream('events', { after: 0, follow: false }));
    expect(items).toEqual([
      ...['t-root', 't-child', 't-grandchild'].map((subject, n) => ({
        ...{ seq: n + 1, at_ms: 3, kind: 'task', action: 'task.running', subject },
      })),
      { seq: 4, at_ms: 3, kind: 'approval', action: 'approval.requested' },
    ]);
  });

  it('counts for a task its own events alone, through more than one page, and goes on behind any of them', async () => {
    const elsewhere = (): void => {
      at.node.trail.add({ kind: 'task', action: 'task.running', actor: 'node', subject: 't-other' });
    };
    for (let n = 1; n <= 300; n += 1) {
      elsewhere();
      at.node.trail.add({ kind: n === 299 ? 'task' : 'execution', action: `${n}`, actor: 'node', ...OWN });
    }
    const client = at.clientWith(TASK_TOKEN);
    const all = await collect(client.stream('events', { after: 0, follow: false }));
    expect(all.map(({ seq, action }) => [seq, action])).toEqual(all.map((_, n) => [n + 1, `${n + 1}`]));
    expect(all).toHaveLength(300);
    const rest = { after: 297, kinds: ['task'], follow: false };
    expect((await collect(client.stream('events', rest))).map(({ seq }) => seq)).toEqual([299]);
    await expect(collect(client.stream('events', { after: 301 }))).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: 'there is no event 301: the newest is 300',
    });
  });

  it('tells a task from now on what is its own, and wakes it for nothing that shows', async () => {
    at.node.trail.add({ kind: 'task', action: 'before', actor: 'node', ...OWN });
    const items = at.clientWith(TASK_TOKEN).stream('events', {});
    const first = items.next();
    await listening(1);
    addStates(400);
    at.node.trail.add({ kind: 'task', action: 'after', actor: 'node', ...OWN });
    expect((await first).value).toMatchObject({ seq: 2, action: 'after' });
    await items.return();
  });

  it('reads for a task the rows of that task, and never the trail', async () => {
    const whole = (): never => {
      throw new Error('the trail of the node');
    };
    Object.assign(at.node.trail, { auditAfter: whole, auditTail: whole, auditEnd: whole });
    at.node.trail.add({ kind: 'task', action: 'task.running', actor: 'node', ...OWN });
    expect(await collect(at.clientWith(TASK_TOKEN).stream('events', { after: 0, follow: false }))).toHaveLength(1);
    await expect(collect(at.client.stream('events', { after: 0, follow: false }))).rejects.toThrow();
  });
});

/** What makes a line one about the task whose token it is. */
const OWN = { subject: 't-root', details: { task: 't-root' } };

/** Waits until so many readers follow the trail. */
async function listening(count: number): Promise<void> {
  while (at.node.trail.listeners !== count) await new Promise((resolve) => setImmediate(resolve));
}
