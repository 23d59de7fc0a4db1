import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGroupedWrites, type GroupedWrite } from './grouped-writes.ts';
import { openDatabase } from './open.ts';
import { createErrorLog, createStandingClock } from './testing/fixture.ts';
import type { Database, WriteTx } from './types.ts';

const PUT = 'INSERT INTO node_fact (key, value) VALUES (?, ?)';
const ALL = 'SELECT key FROM node_fact ORDER BY key';

describe('writes in a group', () => {
  let database: Database;
  let commits: number;
  let write: GroupedWrite;
  beforeEach(async () => {
    database = await openDatabase({ path: ':memory:', clock: createStandingClock(5_000), logger: createErrorLog() });
    commits = 0;
    write = createGroupedWrites({
      withWriteTx(fn) {
        const result = database.withWriteTx(fn);
        commits += 1;
        return result;
      },
    });
  });
  afterEach(() => database.close());

  const keys = (): unknown => database.withReadTx((tx) => tx.prepare(ALL).pluck().all());
  const put =
    (key: string) =>
    (tx: WriteTx): string => {
      tx.prepare(PUT).run(key, '');
      return key;
    };

  it('of one turn share one commit, each sees those before it, and each has its own answer', async () => {
    const seen = (tx: WriteTx): unknown => tx.prepare(ALL).pluck().all();
    expect(await Promise.all([write(put('a')), write(seen), write(put('b'))])).toEqual(['a', ['a'], 'b']);
    expect([commits, keys()]).toEqual([1, ['a', 'b']]);
    expect(await write(put('c'))).toBe('c');
    expect([commits, keys()]).toEqual([2, ['a', 'b', 'c']]);
  });

  it('are told only when they are committed', async () => {
    const order: string[] = [];
    const noted = (tx: WriteTx): void => tx.afterCommit(() => order.push('committed'));
    await Promise.all([1, 2].map(() => write(noted).then(() => order.push('told'))));
    expect(order).toEqual(['committed', 'committed', 'told', 'told']);
  });

  it('go on without one that throws, of which nothing is kept', async () => {
    const order: string[] = [];
    const broken = (tx: WriteTx): void => {
      put('broken')(tx);
      tx.afterCommit(() => order.push('hook of what was rolled back'));
      throw new Error('no');
    };
    const late = async (tx: WriteTx): Promise<void> => void put('late')(tx);
    const all = await Promise.allSettled([write(put('a')), write(broken), write(late), write(put('b'))]);
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect(all[1]).toMatchObject({ reason: { message: 'no' } });
    expect(all[2]).toMatchObject({ reason: { message: expect.stringContaining('promise') } });
    expect([commits, keys(), order]).toEqual([1, ['a', 'b'], []]);
  });

  it('all fail where there is no commit', async () => {
    const both = Promise.allSettled([write(put('a')), write(put('b'))]);
    database.close();
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  it('that come while a group is committed are of the next one', async () => {
    let second: Promise<string> | undefined;
    const first = (tx: WriteTx): void =>
      tx.afterCommit(() => {
        second = write(put('second'));
      });
    await write(first);
    expect([await second, commits]).toEqual(['second', 2]);
  });
});
