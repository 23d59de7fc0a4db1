import { sha256Hex } from '@writ/core';
import type { InviteStore, NodeFactStore, RequestLogStore, SessionStore, TokenStore } from '@writ/lease-store';
import { expect, it } from 'vitest';
import { BENCH_START_MS, believed, type MakeStore, thrownBy } from './store-bench.ts';
import { withBench } from './with-bench.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** What every SessionStore does. */
export function describeSessionStoreContract(name: string, make: MakeStore<SessionStore>): void {
  withBench(`${name} as a SessionStore`, make, (at) => {
    const start = (origin: string, agent = 'agent') =>
      at().bench.database.withWriteTx((tx) => at().store.start(tx, { origin, id: 's1', agent }));
    const end = (origin: string) => at().bench.database.withWriteTx((tx) => at().store.end(tx, origin, 's1'));
    const get = (origin: string) => at().bench.database.withReadTx((tx) => at().store.get(tx, origin, 's1'));

    it('keeps sessions of two origins apart although their ids are equal', () => {
      start('wn-a');
      start('wn-b', 'other');
      expect(end('wn-a')).toBe(true);
      expect([get('wn-a')?.endedAtMs, get('wn-b')?.endedAtMs]).toEqual([BENCH_START_MS, undefined]);
      expect(get('wn-c')).toBeUndefined();
    });

    it('starts one once, whoever asks again gets it as it is, ended or not', () => {
      const first = start('wn-a');
      at().bench.clock.advance(5);
      expect(start('wn-a')).toEqual(first);
      end('wn-a');
      expect(start('wn-a').endedAtMs).toBe(BENCH_START_MS + 5);
      expect(thrownBy(() => start('wn-a', 'another'))).toMatchObject({
        ...{ code: 'CONFLICT', message: 'session `s1` belongs to another agent' },
        nextSteps: ['start a session of its own for this agent'],
      });
      at().bench.database.withWriteTx((tx) => tx.prepare(`UPDATE session SET ended_at_ms = -1`).run());
      expect(thrownBy(() => start('wn-a'))).toMatchObject({
        ...{ code: 'DATABASE_ERROR', message: 'session `s1` cannot be read' },
      });
    });

    it('ends one once', () => {
      start('wn-a');
      expect([end('wn-a'), end('wn-a'), end('wn-c')]).toEqual([true, false, false]);
    });

    it('lists those of an origin that have not ended', () => {
      const startAs = (origin: string, id: string) =>
        at().bench.database.withWriteTx((tx) => at().store.start(tx, { origin, id, agent: 'agent' }));
      for (const id of ['s1', 's3', 's2']) {
        startAs('wn-a', id);
        at().bench.clock.advance(1);
      }
      startAs('wn-b', 's4');
      end('wn-a');
      const open = (limit: number) => at().bench.database.withReadTx((tx) => at().store.listOpen(tx, 'wn-a', limit));
      expect(open(9).map(({ id }) => id)).toEqual(['s2', 's3']);
      expect(open(1).map(({ id }) => id)).toEqual(['s2']);
    });

    it('keeps what another node said of an end, to hand it on as it is', () => {
      const { database } = at().bench;
      const statement = Uint8Array.of(1, 2, 3);
      database.withWriteTx((tx) => {
        at().store.oweEnd(tx, { origin: 'wn-a', session: 's1', peer: 'wn-b', statement });
        at().store.oweEnd(tx, { origin: 'wn-a', session: 's2', peer: 'wn-b' });
      });
      const owed = database.withReadTx((tx) => at().store.listOwedEnds(tx, { limit: 9 }));
      expect(owed.map((one) => one.statement && [...one.statement])).toEqual([[1, 2, 3], undefined]);
    });

    it('remembers ends of sessions that nothing was asked in, so many of an origin and no longer than they are worth', () => {
      const bench = at().bench;
      const note = (id: string, origin = 'wn-a', sinceMs = 0) =>
        bench.database.withWriteTx((tx) =>
          at().store.noteEnded(tx, { origin, id, agent: 'agent' }, { sinceMs, limit: 2 }),
        );
      const get = (id: string) => bench.database.withReadTx((tx) => at().store.get(tx, 'wn-a', id));
      bench.database.withWriteTx((tx) => at().store.start(tx, { origin: 'wn-a', id: 'used', agent: 'agent' }));
      expect([note('used'), note('s1'), note('s1'), note('s2'), note('s3')]).toEqual([false, true, false, true, false]);
      expect([get('s1')?.endedAtMs, get('used')?.endedAtMs, get('s3')]).toEqual([
        get('s1')?.startedAtMs,
        undefined,
        undefined,
      ]);
      expect(note('s1', 'wn-b')).toBe(true);
      expect(note('s3', 'wn-a', bench.database.nowMs() + 1)).toBe(true);
      expect([get('s1'), get('s2'), get('s3')?.agent]).toEqual([undefined, undefined, 'agent']);
    });

    it('forgets for such an end none that something was asked in, none of another origin, and none that is not older', () => {
      const { clock, database } = at().bench;
      const note = (id: string, origin: string, sinceMs: number) =>
        database.withWriteTx((tx) => at().store.noteEnded(tx, { origin, id, agent: 'a' }, { sinceMs, limit: 9 }));
      const ended = (origin: string, id: string) =>
        database.withReadTx((tx) => at().store.get(tx, origin, id)?.endedAtMs !== undefined);
      start('wn-a');
      clock.advance(1);
      end('wn-a');
      note('s2', 'wn-b', 0);
      note('s3', 'wn-a', 0);
      clock.advance(9);
      note('s4', 'wn-a', BENCH_START_MS + 1);
      expect([ended('wn-a', 's1'), ended('wn-b', 's2'), ended('wn-a', 's3')]).toEqual([true, true, true]);
      note('s5', 'wn-a', BENCH_START_MS + 2);
      expect([ended('wn-a', 's1'), ended('wn-b', 's2'), ended('wn-a', 's3')]).toEqual([true, true, false]);
    });

    it('knows once who was asked for something in a session, of each origin', () => {
      const key = { origin: 'wn-a', session: 's1' };
      for (const peer of ['wn-d', 'wn-c', 'wn-d']) {
        at().bench.database.withWriteTx((tx) => at().store.hold(tx, key, peer));
      }
      const holders = (whose: typeof key) => at().bench.database.withReadTx((tx) => at().store.holders(tx, whose));
      expect(holders(key)).toEqual(['wn-c', 'wn-d']);
      expect([holders({ ...key, origin: 'wn-b' }), holders({ ...key, session: 's2' })]).toEqual([[], []]);
    });

    it('owes each peer the news of an end once, until it was told', () => {
      const write = (how: 'oweEnd' | 'settleEnd', session: string, peer: string) =>
        at().bench.database.withWriteTx((tx) => at().store[how](tx, { origin: 'wn-a', session, peer }));
      const owed = (peer?: string, limit = 9) =>
        at()
          .bench.database.withReadTx((tx) =>
            at().store.listOwedEnds(tx, { limit, ...(peer === undefined ? {} : { peer }) }),
          )
          .map((one) => `${one.session}/${one.peer}`);
      write('oweEnd', 's1', 'wn-c');
      write('oweEnd', 's1', 'wn-c');
      at().bench.clock.advance(1);
      write('oweEnd', 's0', 'wn-b');
      expect([owed(), owed('wn-b'), owed(undefined, 1)]).toEqual([['s1/wn-c', 's0/wn-b'], ['s0/wn-b'], ['s1/wn-c']]);
      write('settleEnd', 's1', 'wn-c');
      write('settleEnd', 's1', 'wn-c');
      expect(owed()).toEqual(['s0/wn-b']);
      write('oweEnd', 's0', 'wn-c');
      write('oweEnd', 's1', 'wn-b');
      at().bench.database.withWriteTx((tx) => {
        at().store.oweEnd(tx, { origin: 'wn-z', session: 's0', peer: 'wn-b' });
        at().store.settleEnd(tx, { origin: 'wn-a', session: 's0', peer: 'wn-b' });
      });
      expect(owed()).toEqual(['s0/wn-c', 's1/wn-b', 's0/wn-b']);
    });
  });
}

/** What every TokenStore does. */
export function describeTokenStoreContract(name: string, make: MakeStore<TokenStore>): void {
  withBench(`${name} as a TokenStore`, make, (at) => {
    const [one, two] = [sha256Hex('one'), sha256Hex('two')];
    const task = { kind: 'task', task: 't1', origin: 'wn-a', session: 's1' } as const;
    const put = (hash: string, identity: Parameters<TokenStore['put']>[2]) =>
      at().bench.database.withWriteTx((tx) => at().store.put(tx, hash, identity));
    const find = (hash: string) => at().bench.database.withReadTx((tx) => at().store.find(tx, hash));

    it('proves what was put, and nothing for anything else', () => {
      put(one, task);
      put(two, { kind: 'host' });
      expect([find(one), find(two)]).toEqual([task, { kind: 'host' }]);
      const garbage = [
        '',
        'one',
        one.toUpperCase(),
        `${one.slice(0, 63)}0`,
        `${one} `,
        sha256Hex('three'),
        '%'.repeat(64),
      ];
      expect(garbage.map(find)).toEqual(garbage.map(() => undefined));
    });

    it('tells two hashes with the same beginning apart', () => {
      const twin = one.slice(0, 16) + two.slice(16);
      put(one, task);
      put(twin, { ...task, task: 't2' });
      expect([find(one), find(twin)].map((found) => found?.kind === 'task' && found.task)).toEqual(['t1', 't2']);
      expect(find(one.slice(0, 16) + sha256Hex('x').slice(16))).toBeUndefined();
    });

    it('lets an older host token die with a new one, and task tokens live', () => {
      put(one, { kind: 'host' });
      put(sha256Hex('task'), task);
      put(two, { kind: 'host' });
      expect([find(one), find(two), find(sha256Hex('task'))]).toEqual([undefined, { kind: 'host' }, task]);
      put(sha256Hex('another task'), { ...task, task: 't2' });
      expect(find(two)).toEqual({ kind: 'host' });
    });

    it('ends the tokens of one task', () => {
      put(one, task);
      put(two, { ...task, task: 't2' });
      at().bench.database.withWriteTx((tx) => at().store.dropTask(tx, 't1'));
      expect([find(one), find(two)?.kind]).toEqual([undefined, 'task']);
    });

    it('refuses a token without a session, and one that is stored in the clear', () => {
      expect(thrownBy(() => put(one, { ...task, session: '' }))).toMatchObject({
        ...{ code: 'INTERNAL', message: 'a task token needs a session' },
      });
      expect(thrownBy(() => put('the secret itself', task))).toMatchObject({
        ...{ code: 'INTERNAL', message: 'a token is stored by its SHA-256 in lower-case hex' },
      });
      expect([find(one), find('the secret itself')]).toEqual([undefined, undefined]);
      put(two, task);
      at().bench.database.withWriteTx((tx) => tx.prepare('UPDATE token SET session = NULL').run());
      expect(find(two)).toBeUndefined();
    });
  });
}

/** What every RequestLogStore does. */
export function describeRequestLogStoreContract(name: string, make: MakeStore<RequestLogStore>): void {
  withBench(`${name} as a RequestLogStore`, make, (at) => {
    const record = (subject: string) => at().bench.database.withWriteTx((tx) => at().store.record(tx, subject));
    const count = (subject: string) =>
      at().bench.database.withReadTx((tx) => at().store.countLastHour(tx, subject, at().bench.database.nowMs()));

    it('counts each subject alone, for an hour', () => {
      for (let i = 0; i < 3; i++) record('wn-a');
      at().bench.clock.advance(30 * MINUTE_MS);
      record('wn-a');
      record('wn-b');
      expect([count('wn-a'), count('wn-b'), count('wn-c')]).toEqual([4, 1, 0]);
      at().bench.clock.advance(30 * MINUTE_MS - 1000);
      expect(count('wn-a')).toBe(4);
      at().bench.clock.advance(1000);
      expect(count('wn-a')).toBe(1);
    });

    it('prunes at most so many, and only what counts no more', () => {
      for (let i = 0; i < 3; i++) {
        record('wn-a');
        at().bench.clock.advance(1000);
      }
      const prune = () => at().bench.database.withWriteTx((tx) => at().store.prune(believed(tx), 2));
      expect(prune()).toBe(0);
      at().bench.clock.advance(60 * MINUTE_MS - 1000);
      record('wn-a');
      expect([prune(), prune(), prune(), count('wn-a')]).toEqual([2, 1, 0, 1]);
    });

    it('counts nothing of a clock that was ahead, once it was set right, and prunes it', () => {
      const { clock, database } = at().bench;
      clock.jump(31 * 24 * 60 * MINUTE_MS);
      record('wn-a');
      clock.jump(-31 * 24 * 60 * MINUTE_MS);
      database.withWriteTx((tx) => database.acceptClockIn(tx, 'person', () => undefined));
      record('wn-a');
      expect(count('wn-a')).toBe(1);
      expect(database.withWriteTx((tx) => at().store.prune(believed(tx), 10))).toBe(1);
      expect(count('wn-a')).toBe(1);
    });
  });
}

/** What every InviteStore does. */
export function describeInviteStoreContract(name: string, make: MakeStore<InviteStore>): void {
  withBench(`${name} as an InviteStore`, make, (at) => {
    const invite = (id: string) => ({
      id,
      secretHash: sha256Hex(id),
      profiles: ['query'],
      workspaces: ['app'],
      expiresAtMs: BENCH_START_MS + 10 * MINUTE_MS,
    });
    const insert = (id: string, more: { leaseMs?: number } = {}) =>
      at().bench.database.withWriteTx((tx) => at().store.insert(tx, { ...invite(id), ...more }));
    const open = () => at().bench.database.withReadTx((tx) => at().store.listOpen(tx, at().bench.database.nowMs()));
    const use = (id: string) => at().bench.database.withWriteTx((tx) => at().store.use(tx, id));

    it('gives back what was inserted', () => {
      const record = insert('i1', { leaseMs: 5 });
      expect(record).toEqual({ ...invite('i1'), leaseMs: 5, createdAtMs: BENCH_START_MS });
      expect(open()).toEqual([record]);
      at().bench.clock.advance(1);
      for (const id of ['i0', 'i2']) insert(id);
      expect(open().map(({ id }) => id)).toEqual(['i2', 'i0', 'i1']);
    });

    it('works once', () => {
      insert('i1');
      const uses = Array.from({ length: 64 }, () => use('i1'));
      expect(uses.filter((used) => used)).toHaveLength(1);
      expect(open()).toEqual([]);
      expect(use('none')).toBe(false);
    });

    it('works until it expires, and not while the clock stands back', () => {
      insert('i1');
      insert('i2');
      at().bench.clock.advance(10 * MINUTE_MS - 1);
      expect(use('i1')).toBe(true);
      at().bench.clock.advance(1);
      expect([use('i2'), open().length]).toEqual([false, 0]);
      at().bench.database.withWriteTx((tx) => tx.nowMs);
      at().bench.clock.jump(-5 * MINUTE_MS);
      expect(use('i2')).toBe(false);
    });

    it('ends every one that was not used', () => {
      for (const id of ['i1', 'i2', 'i3']) insert(id);
      use('i1');
      expect([...at().bench.database.withWriteTx((tx) => at().store.endAll(tx))].sort()).toEqual(['i2', 'i3']);
      expect([open(), use('i2')]).toEqual([[], false]);
    });

    it('are removed thirty days after they were used or expired, some at a time', () => {
      const prune = () => at().bench.database.withWriteTx((tx) => at().store.prune(believed(tx), 2));
      for (const id of ['i1', 'i2', 'i3']) insert(id);
      at().bench.clock.advance(5 * MINUTE_MS);
      use('i1');
      at().bench.clock.advance(30 * DAY_MS - 1);
      expect(prune()).toBe(0);
      at().bench.clock.advance(1);
      expect([prune(), prune()]).toEqual([1, 0]);
      at().bench.clock.advance(5 * MINUTE_MS);
      for (const id of ['i4', 'i5']) insert(id);
      expect([prune(), prune(), prune()]).toEqual([2, 2, 0]);
      insert('i1');
    });
  });
}

/** What every NodeFactStore does. */
export function describeNodeFactStoreContract(name: string, make: MakeStore<NodeFactStore>): void {
  withBench(`${name} as a NodeFactStore`, make, (at) => {
    it('keeps the last value of a key', () => {
      const { database } = at().bench;
      const get = (key: string) => database.withReadTx((tx) => at().store.get(tx, key));
      for (const value of ['one', '']) database.withWriteTx((tx) => at().store.set(tx, 'key', value));
      expect([get('key'), get('none')]).toEqual(['', undefined]);
    });

    it('names the keys that begin alike, and forgets one', () => {
      const { database } = at().bench;
      const { store } = at();
      const keys = (prefix: string) => database.withReadTx((tx) => store.keys(tx, prefix));
      for (const key of ['a.b', 'a.', 'a', 'a-c', 'b.a']) database.withWriteTx((tx) => store.set(tx, key, 'x'));
      expect([keys('a.'), keys('c')]).toEqual([['a.', 'a.b'], []]);
      for (const key of ['a.b', 'none']) database.withWriteTx((tx) => store.remove(tx, key));
      expect(keys('a.')).toEqual(['a.']);
    });
  });
}
