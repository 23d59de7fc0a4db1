import { describe, expect, it } from 'vitest';
import { createTurns } from './turns.ts';

const never = new AbortController().signal;

describe('turns', () => {
  it('lets so many go on for each key, the others in order', async () => {
    const turns = createTurns(2);
    const order: number[] = [];
    const leaves = [await turns.take('a', never), await turns.take('a', never)];
    const waiting = [1, 2, 3].map(async (n) => {
      const leave = await turns.take('a', never);
      order.push(n);
      leave?.();
    });
    expect(await turns.take('b', never)).toBeDefined();
    expect(order).toEqual([]);
    for (const leave of leaves) leave?.();
    await Promise.all(waiting);
    expect(order).toEqual([1, 2, 3]);
  });

  it('passes a turn on that was meant for somebody who goes', async () => {
    const turns = createTurns(1);
    const first = await turns.take('a', never);
    const going = new AbortController();
    const gone = turns.take('a', going.signal);
    const next = turns.take('a', never);
    first?.();
    going.abort();
    expect(await gone).toBeUndefined();
    expect(await next).toBeDefined();
  });

  it('gives nobody a turn whose signal has aborted', async () => {
    const turns = createTurns(1);
    expect(await turns.take('a', AbortSignal.abort())).toBeUndefined();
    expect(await turns.take('a', never)).toBeDefined();
  });
});
