import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { untilAborted } from './abortable.ts';

describe('untilAborted', () => {
  it('ends at once when the source hangs, and tells it so', async () => {
    const abort = new AbortController();
    let returned = false;
    const source: AsyncIterable<number> = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => {}),
        return: async () => {
          returned = true;
          return { done: true, value: undefined };
        },
      }),
    };
    const items = untilAborted(source, abort.signal).next();
    abort.abort();
    expect(await items).toEqual({ done: true, value: undefined });
    expect(returned).toBe(true);
  });

  it('gives all items of a source that ends', async () => {
    const seen: number[] = [];
    async function* source(): AsyncGenerator<number> {
      yield 1;
      yield 2;
    }
    for await (const item of untilAborted(source(), new AbortController().signal)) seen.push(item);
    expect(seen).toEqual([1, 2]);
  });

  it('keeps nothing of the items that have passed', async () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const passed: WeakRef<object>[] = [];
    async function* source(): AsyncGenerator<object> {
      for (let i = 0; i < 100; i++) yield { i };
    }
    const items = untilAborted(source(), new AbortController().signal);
    for (let i = 0; i < 100; i++) passed.push(new WeakRef((await items.next()).value));
    // A weak reference holds until the turn is over in which it was made.
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    expect(passed.filter((item) => item.deref() !== undefined).length).toBeLessThan(10);
    await items.return(undefined);
  });

  it('passes on what the source throws', async () => {
    async function* source(): AsyncGenerator<number> {
      yield 1;
      throw new Error('torn');
    }
    const read = async (): Promise<void> => {
      for await (const _ of untilAborted(source(), new AbortController().signal));
    };
    await expect(read()).rejects.toThrow('torn');
  });

  it('tells the source when the reader leaves', async () => {
    let closed = false;
    async function* source(): AsyncGenerator<number> {
      try {
        yield 1;
        yield 2;
      } finally {
        closed = true;
      }
    }
    for await (const _ of untilAborted(source(), new AbortController().signal)) break;
    expect(closed).toBe(true);
  });
});
