import { describe, expect, it } from 'vitest';
import { finish, finishInSlices, type Sliced } from './slices.ts';

function* sum(upTo: number, step: () => void = () => undefined): Sliced<number> {
  let total = 0;
  for (let at = 1; at <= upTo; at++) {
    step();
    total += at;
    yield;
  }
  return total;
}

describe('a computation in slices', () => {
  it('comes to the same with and without rests', async () => {
    let nowMs = 0;
    expect(finish(sum(100))).toBe(5050);
    expect(await finishInSlices(sum(100), { monotonicMs: () => nowMs++ })).toBe(5050);
  });

  it('lets others have their turn first and after each slice of a millisecond, and not before', async () => {
    let nowMs = 0;
    const rests: number[] = [];
    let at = 0;
    let isOver = false;
    const other = (): void => {
      rests.push(at);
      if (!isOver) setImmediate(other);
    };
    setImmediate(other);
    const work = sum(6, () => {
      at++;
      nowMs += 0.5;
    });
    await finishInSlices(work, { monotonicMs: () => nowMs });
    isOver = true;
    expect(rests.slice(0, 4)).toEqual([0, 2, 4, 6]);
  });

  it('rejects with what is thrown', async () => {
    const thrown = new Error('no');
    const work = sum(2, () => {
      throw thrown;
    });
    await expect(finishInSlices(work, { monotonicMs: () => 0 })).rejects.toBe(thrown);
  });
});
