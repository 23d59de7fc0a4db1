import { describe, expect, it } from 'vitest';
import { createFairTurns } from './fair-turns.ts';

/** Work that goes on until it is let go, and says when it began and what went on then, itself included. */
function createWork() {
  const began: string[] = [];
  const beside: string[] = [];
  const going = new Map<string, () => void>();
  return {
    began,
    beside,
    of: (name: string) => () =>
      new Promise<string>((resolve) => {
        going.set(name, () => resolve(name));
        began.push(name);
        beside.push([...going.keys()].join(' '));
      }),
    end(name: string) {
      going.get(name)?.();
      going.delete(name);
    },
  };
}

const whose = (name: string, signal?: AbortSignal) => ({ whose: name, mostWaiting: 2, signal });
const atOnceOnly = (name: string) => ({ whose: name, mostWaiting: 0 });

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

  it('are never more at once than may be, of all and of each, whoever ends', async () => {
    const turns = createFairTurns({ atOnce: 3, each: 2 });
    const work = createWork();
    const names = ['a1', 'a2', 'b1', 'a3', 'c1', 'd1'];
    const all = names.map((name) => turns.take(whose(name[0] ?? ''), work.of(name)));
    for (const name of ['b1', 'c1', 'd1', 'a1', 'a2', 'a3']) {
      await expect.poll(() => work.began).toContain(name);
      work.end(name);
    }
    await Promise.all(all);
    expect(work.beside).toEqual(['a1', 'a1 a2', 'a1 a2 b1', 'a1 a2 c1', 'a1 a2 d1', 'a2 a3']);
  });

  it('pass by who has nothing waiting, and come first to who waited first', async () => {
    const turns = createFairTurns({ atOnce: 2, each: 2 });
    const work = createWork();
    const take = (name: string) => turns.take(whose(name[0] ?? ''), work.of(name));
    const early = take('a1');
    await expect.poll(() => work.began).toEqual(['a1']);
    work.end('a1');
    await early;
    const all = ['x1', 'y1', 'b1', 'a2'].map(take);
    for (const name of ['y1', 'b1', 'x1', 'a2']) {
      await expect.poll(() => work.began).toContain(name);
      work.end(name);
    }
    await Promise.all(all);
    expect(work.began).toEqual(['a1', 'x1', 'y1', 'b1', 'a2']);
  });

  it('are taken at once or not at all by who may have nothing waiting, and what goes on still counts', async () => {
    const turns = createFairTurns({ atOnce: 2, each: 1 });
    const work = createWork();
    const first = turns.take(atOnceOnly('a'), work.of('a1'));
    expect(await turns.take(atOnceOnly('a'), work.of('a2'))).toEqual({ taken: false });
    const behind = turns.take(whose('a'), work.of('a3'));
    const other = turns.take(atOnceOnly('b'), work.of('b1'));
    expect(await turns.take(atOnceOnly('c'), work.of('c1'))).toEqual({ taken: false });
    await expect.poll(() => work.began).toEqual(['a1', 'b1']);
    work.end('a1');
    await expect.poll(() => work.began).toEqual(['a1', 'b1', 'a3']);
    for (const name of ['a3', 'b1']) work.end(name);
    expect(await Promise.all([first, other, behind])).toEqual(
      ['a1', 'b1', 'a3'].map((value) => ({ taken: true, value })),
    );
  });

  it('that have begun go on to their end when their caller goes, and stay counted until then', async () => {
    const turns = createFairTurns({ atOnce: 1, each: 1 });
    const work = createWork();
    const [gone, going] = [new AbortController(), new AbortController()];
    const before = turns.take(whose('a'), work.of('a1'));
    const held = turns.take(whose('a', going.signal), work.of('a2'));
    await expect.poll(() => work.began).toEqual(['a1']);
    work.end('a1');
    await expect.poll(() => work.began).toEqual(['a1', 'a2']);
    going.abort();
    const leaving = turns.take(whose('a', gone.signal), work.of('a3'));
    const next = turns.take(whose('a'), work.of('a4'));
    gone.abort();
    await expect(leaving).rejects.toMatchObject({ code: 'CANCELLED', message: 'nobody waits for it any more' });
    work.end('a2');
    expect(await Promise.all([before, held])).toEqual(['a1', 'a2'].map((value) => ({ taken: true, value })));
    await expect.poll(() => work.began).toEqual(['a1', 'a2', 'a4']);
    work.end('a4');
    await next;
  });
});
