import { createFakeClock } from '@writ/testkit';
import { beforeEach, describe, expect, it } from 'vitest';
import { createNameLookups, type NameLookups } from './name-lookups.ts';

const clockAt = (): ReturnType<typeof createFakeClock> => createFakeClock(1_800_000_000_000);
let clock = clockAt();
let lookups: NameLookups;
/** Lookups that are under way, by name, in the order in which they began. */
let asked: Map<string, (addresses: readonly string[]) => void>;
let begun: string[];
beforeEach(() => {
  clock = clockAt();
  asked = new Map();
  begun = [];
  lookups = createNameLookups({
    clock,
    lookup: (host, unwanted) =>
      new Promise((resolve, reject) => {
        begun.push(host);
        asked.set(host, (addresses) => resolve(addresses));
        unwanted.addEventListener('abort', () => {
          asked.delete(host);
          reject(unwanted.reason);
        });
      }),
  });
});

const wanted = (): AbortSignal => new AbortController().signal;
/** Everything that is ready to go on has gone on. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const names = (prefix: string, many: number): string[] => Array.from({ length: many }, (_, at) => `${prefix}${at}`);
/** What became of each: its first address, or the code that it was refused with. */
function ask(run: ReturnType<NameLookups['open']>, hosts: readonly string[]): { readonly of: Map<string, string> } {
  const of = new Map<string, string>();
  for (const host of hosts) {
    void run.find(host, wanted()).then(
      ([address = 'none']) => of.set(host, address),
      (error) => of.set(host, error.code),
    );
  }
  return { of };
}

describe('the lookups of a run', () => {
  it('are few at a time, and the next begins when one is over and had its least time', async () => {
    const { of } = ask(lookups.open(), names('a', 10));
    await settle();
    expect(begun).toEqual(names('a', 4));
    asked.get('a0')?.(['192.0.2.1']);
    await settle();
    expect([of.get('a0'), begun.length]).toEqual(['192.0.2.1', 4]);
    clock.advance(200);
    await settle();
    expect(begun).toEqual(names('a', 5));
  });

  it('share one where the name is the same, and ask anew for what is asked later', async () => {
    const run = lookups.open();
    const both = [run.find('same', wanted()), run.find('same', wanted())];
    await settle();
    expect(begun).toEqual(['same']);
    asked.get('same')?.(['192.0.2.1']);
    expect(await Promise.all(both)).toEqual([['192.0.2.1'], ['192.0.2.1']]);
    void run.find('same', wanted());
    await settle();
    expect(begun).toEqual(['same', 'same']);
  });

  it('are not shared with another run, which would see that somebody asks', async () => {
    for (const run of [lookups.open(), lookups.open()]) void run.find('same', wanted());
    await settle();
    expect(begun).toEqual(['same', 'same']);
  });

  it('are given up when nobody answers in time, and others have their turn', async () => {
    const { of } = ask(lookups.open(), names('a', 9));
    await settle();
    clock.advance(9_999);
    await settle();
    expect(of.size).toBe(0);
    clock.advance(1);
    await settle();
    expect([...of]).toEqual(names('a', 4).map((name) => [name, 'TIMED_OUT']));
    expect([...asked.keys()]).toEqual(names('a', 8).slice(4));
    clock.advance(2_000);
    await settle();
    expect([of.get('a8'), of.size]).toEqual(['LIMIT_EXCEEDED', 5]);
    const more = ask(lookups.open(), ['later']);
    await settle();
    asked.get('later')?.(['192.0.2.1']);
    await settle();
    expect(more.of.get('later')).toBe('192.0.2.1');
  });

  it('end when the last who waits is gone, and not before', async () => {
    const run = lookups.open();
    const [one, other] = [new AbortController(), new AbortController()];
    const finds = [run.find('same', one.signal), run.find('same', other.signal)].map((find) =>
      find.catch(() => 'gone'),
    );
    await settle();
    one.abort(new Error('gone'));
    await settle();
    expect(asked.has('same')).toBe(true);
    other.abort(new Error('gone'));
    expect(await Promise.all(finds)).toEqual(['gone', 'gone']);
    expect(asked.size).toBe(0);
  });

  it('end with the run: those under way and those that wait', async () => {
    const run = lookups.open();
    const { of } = ask(run, names('a', 200));
    await settle();
    run.close();
    await settle();
    expect([new Set(of.values()), of.size, asked.size]).toEqual([new Set(['CANCELLED']), 200, 0]);
    clock.advance(60_000);
    await settle();
    expect(begun.length).toBe(4);
    await expect(run.find('later', wanted())).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});

describe('a run that asks for ever new names', () => {
  it('leaves turns to others, who wait for no more than one of them where all are taken', async () => {
    const greedy = names('run', 5).map((name) => ({ name, run: lookups.open() }));
    for (const { name, run } of greedy) ask(run, names(`${name}-`, 50));
    await settle();
    expect(begun.length).toBe(16);
    ask(lookups.open(), ['honest']);
    clock.advance(200);
    await settle();
    asked.get('run0-0')?.([]);
    await settle();
    asked.get('run1-0')?.([]);
    await settle();
    // The fifth had none, and asked before.
    expect(begun.slice(16)).toEqual(['run4-0', 'honest']);
  });

  it('has no more turns than its share where it hangs up each time', async () => {
    const run = lookups.open();
    for (const host of names('a', 40)) {
      const gone = new AbortController();
      const find = run.find(host, gone.signal).catch(() => {});
      await settle();
      gone.abort(new Error('gone'));
      await find;
    }
    expect(begun.length).toBe(4);
    clock.advance(200);
    await settle();
    ask(run, names('b', 40));
    await settle();
    expect(begun.length).toBe(8);
  });
});
