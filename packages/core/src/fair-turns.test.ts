import { describe, expect, it } from 'vitest';
import { createFairTurns } from './fair-turns.ts';

/** Work that goes on until it is let go, and says when it began. */
function createWork() {
  const began: string[] = [];
  const going = new Map<string, () => void>();
  return {
    began,
    of: (name: string) => () =>
      new Promise<string>((resolve) => {
        began.push(name);
        going.set(name, () => resolve(name));
      }),
    end: (name: string) => going.get(name)?.(),
  };
}

const whose = (name: string, signal?: AbortSignal) => ({ whose: name, mostWaiting: 2, signal });

describe('fair turns', () => {
  it('are few at once, and go round between those who ask, however many each has waiting', async () => {
    const turns = createFairTurns({ atOnce: 2, each: 1 });
    const work = createWork();
    const all = ['a1', 'a2', 'a3', 'b1', 'c1'].map((name) =>
      turns.take(whose(name[0] ?? ''), work.of(name)).then(() => undefined),
    );
    await expect.poll(() => work.began).toEqual(['a1', 'b1']);
    for (const name of ['a1', 'b1', 'a2', 'c1', 'a3']) {
      await expect.poll(() => work.began).toContain(name);
      work.end(name);
    }
    await Promise.all(all);
    expect(work.began).toEqual(['a1', 'b1', 'a2', 'c1', 'a3']);
  });

  it('are refused to who has as many waiting as may be, and to nobody else', async () => {
    const turns = createFairTurns({ atOnce: 4, each: 1 });
    const work = createWork();
    const taken = ['a1', 'a2', 'a3'].map((name) => turns.take(whose('a'), work.of(name)));
    expect(await turns.take(whose('a'), work.of('a4'))).toEqual({ taken: false });
    const other = turns.take(whose('b'), work.of('b1'));
    await expect.poll(() => work.began).toEqual(['a1', 'b1']);
    for (const name of ['b1', 'a1', 'a2', 'a3']) {
      await expect.poll(() => work.began).toContain(name);
      work.end(name);
    }
    expect(await other).toEqual({ taken: true, value: 'b1' });
    await Promise.all(taken);
  });

  it('are given up by who goes, and come to the next one whatever became of the last', async () => {
    const turns = createFairTurns({ atOnce: 1, each: 1 });
    const work = createWork();
    const gone = new AbortController();
    const failing = turns.take(whose('a'), () => Promise.reject(new Error('broken')));
    const left = turns.take(whose('a', gone.signal), work.of('left'));
    gone.abort();
    await expect(left).rejects.toMatchObject({ code: 'CANCELLED' });
    await expect(failing).rejects.toThrow('broken');
    await expect(turns.take(whose('a', gone.signal), work.of('late'))).rejects.toMatchObject({ code: 'CANCELLED' });
    const next = turns.take(whose('b'), work.of('next'));
    await expect.poll(() => work.began).toEqual(['next']);
    work.end('next');
    expect(await next).toEqual({ taken: true, value: 'next' });
  });
});
