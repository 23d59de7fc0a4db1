import { sha256Hex } from '@writ/core';
import type { ApprovalDecision, ApprovalStore, NewApproval } from '@writ/lease-store';
import { expect, it } from 'vitest';
import { BENCH_START_MS, believed, type MakeStore, thrownBy } from './store-bench.ts';
import { withBench } from './with-bench.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A question of an agent of another node. */
const APPROVAL: NewApproval = {
  id: 'a1',
  kind: 'execution',
  origin: 'wn-a',
  session: 's1',
  agent: 'agent',
  requestedBy: 'wn-a',
  digest: sha256Hex('action'),
  preview: 'argument 0: true',
  subject: { execution: 'e1' },
  scopes: ['once', 'session'],
  generation: 1,
  expiresAtMs: BENCH_START_MS + HOUR_MS,
};

const YES: ApprovalDecision = {
  state: 'approved',
  decidedBy: 'ap-1',
  scope: 'once',
  proof: { kind: 'terminal' },
  useByMs: BENCH_START_MS + 2 * HOUR_MS,
};
const NO: ApprovalDecision = { state: 'denied', decidedBy: 'ap-2', proof: { kind: 'terminal' } };

/** What every ApprovalStore does. */
export function describeApprovalStoreContract(name: string, make: MakeStore<ApprovalStore>): void {
  withBench(`${name} as an ApprovalStore`, make, (at) => {
    const write = <T>(fn: (store: ApprovalStore, tx: Parameters<ApprovalStore['insert']>[0]) => T): T =>
      at().bench.database.withWriteTx((tx) => fn(at().store, tx));
    const insert = (change: Partial<NewApproval> = {}) =>
      write((store, tx) => store.insert(tx, { ...APPROVAL, ...change }));
    const get = (id = 'a1') => at().bench.database.withReadTx((tx) => at().store.get(tx, id));
    const decide = (decision: ApprovalDecision, id = 'a1', version = 1) =>
      write((store, tx) => store.decide(tx, { id, version }, decision));
    const use = (id = 'a1', digest = APPROVAL.digest) => write((store, tx) => store.use(tx, id, digest));
    const states = (...ids: string[]) => ids.map((id) => get(id)?.state);

    it('gives back what was inserted, absent fields absent', () => {
      const inserted = insert();
      expect(inserted).toEqual({ ...APPROVAL, state: 'pending', createdAtMs: BENCH_START_MS, version: 1 });
      expect(get()).toEqual(inserted);
      expect(get('none')).toBeUndefined();
      const ofTask = insert({ id: 'a2', task: 't1' });
      expect(get('a2')).toEqual(ofTask);
    });

    it.each(['origin', 'session', 'agent'] as const)('stores none whose %s is empty', (part) => {
      expect(thrownBy(() => insert({ [part]: '' }))).toBeDefined();
      expect(get()).toBeUndefined();
    });

    it('keeps what was decided by whom', () => {
      insert();
      const decided = decide(YES);
      expect(decided).toMatchObject({ ...YES, decidedAtMs: BENCH_START_MS, version: 2 });
      expect(get()).toEqual(decided);
    });

    it('is decided once, whatever the second one says', () => {
      insert();
      expect(decide(NO)?.state).toBe('denied');
      const before = get();
      expect([decide(YES), decide(YES, 'a1', 2), decide(NO, 'a1', 2)]).toEqual([undefined, undefined, undefined]);
      expect(write((store, tx) => [store.end(tx, 'a1', 'cancelled'), store.end(tx, 'a1', 'expired')])).toEqual([
        undefined,
        undefined,
      ]);
      expect(get()).toEqual(before);
    });

    it('cannot be decided again by any statement', () => {
      insert();
      decide(NO);
      const overwrite = () =>
        at().bench.database.withWriteTx((tx) => tx.prepare(`UPDATE approval SET state = 'approved'`).run());
      expect(thrownBy(overwrite)).toMatchObject({ message: expect.stringContaining('decided once') });
    });

    it('has one winner among 64 deciders', () => {
      insert();
      const outcomes = Array.from({ length: 64 }, (_, i) => decide(i % 2 === 0 ? YES : NO));
      expect(outcomes.filter((outcome) => outcome !== undefined)).toHaveLength(1);
      expect(get()?.version).toBe(2);
    });

    it('changes nothing under another id or an older version', () => {
      insert();
      const before = get();
      expect([decide(YES, 'a2'), decide(YES, 'a1', 0), decide(YES, 'a1', 2)]).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
      expect(get()).toEqual(before);
    });

    it('finds what was asked under a key, by that asker alone, whatever became of it', () => {
      const under = (key: string) => ({ subject: { request: { key, digest: 'd' } } });
      insert(under('k'));
      insert({ ...under('k2'), id: 'a2', digest: sha256Hex('other') });
      insert({ id: 'a3', digest: sha256Hex('third'), subject: 'no object' });
      const find = (change: Partial<NewApproval> & { readonly key?: string } = {}) =>
        at().bench.database.withReadTx((tx) => at().store.findByRequest(tx, { ...APPROVAL, key: 'k', ...change })?.id);
      expect([find(), find({ key: 'k2' }), find({ key: '' })]).toEqual(['a1', 'a2', undefined]);
      decide(NO);
      expect(find()).toBe('a1');
      insert({ ...under('k'), id: 'a4' });
      expect(find()).toBe('a4');
      const others: Partial<NewApproval>[] = [
        { origin: 'wn-b' },
        { session: 's2' },
        { requestedBy: 'wn-b' },
        { kind: 'plan' },
        { task: 't1' },
      ];
      expect(others.map(find)).toEqual(others.map(() => undefined));
      write((_, tx) => tx.prepare(`UPDATE approval SET subject = '{' WHERE id = 'a4'`).run());
      expect(find()).toBe('a1');
    });

    it('takes the same question that waits once, and again after the answer', () => {
      insert();
      expect(thrownBy(() => insert({ id: 'a2' }))).toBeDefined();
      const find = (change: Partial<NewApproval> = {}) =>
        at().bench.database.withReadTx((tx) => at().store.findPending(tx, { ...APPROVAL, ...change })?.id);
      expect(find()).toBe('a1');
      const others: Partial<NewApproval>[] = [
        { origin: 'wn-b' },
        { session: 's2' },
        { agent: 'other' },
        { kind: 'plan' },
        { task: 't1' },
        { digest: sha256Hex('other') },
      ];
      expect(others.map(find)).toEqual(others.map(() => undefined));
      others.forEach((other, i) => {
        insert({ ...other, id: `other-${i}` });
      });
      decide(NO);
      expect(find()).toBeUndefined();
      insert({ id: 'a2' });
      expect(find()).toBe('a2');
    });

    it('is used once, for what was approved, in time', () => {
      insert();
      expect(use()).toBe(false);
      decide(YES);
      expect([use('a1', sha256Hex('other')), use('none')]).toEqual([false, false]);
      expect([use(), use()]).toEqual([true, false]);
      expect(get()).toMatchObject({ usedAtMs: BENCH_START_MS, version: 3 });
      insert({ id: 'a2' });
      decide(NO, 'a2');
      expect(use('a2')).toBe(false);
      insert({ id: 'a3' });
      decide(YES, 'a3');
      at().bench.clock.advance(2 * HOUR_MS);
      expect(use('a3')).toBe(false);
    });

    it('is not used while the clock stands back', () => {
      insert();
      decide(YES);
      at().bench.clock.jump(-61_000);
      expect(use()).toBe(false);
      at().bench.clock.jump(61_000);
      expect(use()).toBe(true);
    });

    it('ends what was not answered in time, oldest first, at most so many', () => {
      for (const [i, id] of ['a', 'b', 'c'].entries()) {
        insert({ id, session: id, expiresAtMs: BENCH_START_MS + (i + 1) * HOUR_MS });
      }
      const expire = (limit: number) => write((store, tx) => store.expireDue(tx, limit).map(({ id }) => id));
      at().bench.clock.advance(HOUR_MS - 1);
      expect(expire(9)).toEqual([]);
      at().bench.clock.advance(HOUR_MS + 1);
      expect([expire(1), expire(9), expire(9)]).toEqual([['a'], ['b'], []]);
      expect(get('a')).toMatchObject({ state: 'expired', decidedBy: 'node', version: 2 });
      expect(states('a', 'b', 'c')).toEqual(['expired', 'expired', 'pending']);
    });

    it('ends one that waits, once, and nothing that was decided', () => {
      insert();
      insert({ id: 'other', session: 's2' });
      insert({ id: 'done', session: 's3' });
      decide(NO, 'done');
      const end = (id: string) => write((store, tx) => store.end(tx, id, 'cancelled'));
      expect(end('a1')).toEqual(get());
      expect(get()).toMatchObject({ state: 'cancelled', decidedBy: 'node', decidedAtMs: BENCH_START_MS, version: 2 });
      expect([end('a1'), end('done'), end('none')]).toEqual([undefined, undefined, undefined]);
      expect(states('a1', 'other', 'done')).toEqual(['cancelled', 'pending', 'denied']);
    });

    it('cancels what waits for a session or for a task, and nothing else', () => {
      insert({ id: 'mine', task: 't1' });
      insert({ id: 'same-session' });
      insert({ id: 'same-name', origin: 'wn-b' });
      insert({ id: 'other-session', session: 's3' });
      insert({ id: 'done', agent: 'other' });
      decide(NO, 'done');
      insert({ id: 'done of task', session: 's2', task: 't2' });
      decide(NO, 'done of task');
      insert({ id: 'other-task', session: 's2', task: 't2' });
      const cancel = (whose: Parameters<ApprovalStore['cancelOf']>[1]) =>
        write((store, tx) =>
          store
            .cancelOf(tx, whose)
            .map(({ id }) => id)
            .sort(),
        );
      expect(cancel({ task: 't2' })).toEqual(['other-task']);
      expect(cancel({ origin: 'wn-a', session: 's1' })).toEqual(['mine', 'same-session']);
      expect(states('mine', 'same-session', 'same-name', 'other-session', 'other-task', 'done')).toEqual([
        ...['cancelled', 'cancelled', 'pending', 'pending'],
        ...['cancelled', 'denied'],
      ]);
      expect(['mine', 'other-task', 'done of task'].map((id) => get(id)?.version)).toEqual([2, 2, 2]);
    });

    it('counts what waits of a session and of an asker', () => {
      insert();
      insert({ id: 'a2', agent: 'other' });
      insert({ id: 'a3', origin: 'wn-b' });
      insert({ id: 'a4', session: 's2', requestedBy: 'wn-c' });
      decide(NO, 'a2');
      const counts = at().bench.database.withReadTx((tx) => [
        at().store.countPendingOfSession(tx, { origin: 'wn-a', session: 's1' }),
        at().store.countPendingOfAsker(tx, 'wn-a'),
        at().store.countPendingOfAsker(tx, 'wn-d'),
      ]);
      expect(counts).toEqual([1, 2, 0]);
      insert({ id: 'a5', task: 't1' });
      insert({ id: 'a6', task: 't1', agent: 'third' });
      decide(NO, 'a6');
      const ofTask = (task: string) => at().bench.database.withReadTx((tx) => at().store.countPendingOfTask(tx, task));
      expect([ofTask('t1'), ofTask('t2')]).toEqual([1, 0]);
    });

    it('names what waits of an asker in sessions of a kind, oldest first, and nothing that a task asks', () => {
      insert({ id: 'one', session: 'call-2' });
      at().bench.clock.advance(5);
      insert({ id: 'two', session: 'call-1' });
      insert({ id: 'of-task', session: 'call-1', task: 't1' });
      insert({ id: 'elsewhere', session: 'a-call-3' });
      insert({ id: 'another', session: 'call-4', requestedBy: 'wn-c' });
      insert({ id: 'done', session: 'call-5' });
      decide(NO, 'done');
      expect(at().bench.database.withReadTx((tx) => at().store.pendingIn(tx, 'wn-a', 'call-'))).toEqual([
        { id: 'one', createdAtMs: BENCH_START_MS },
        { id: 'two', createdAtMs: BENCH_START_MS + 5 },
      ]);
    });

    it('counts what an asker put after a moment, decided or not, in sessions of a name or beside them', () => {
      insert();
      decide(NO, 'a1');
      insert({ id: 'a2', session: 's2', task: 't1' });
      insert({ id: 'other', requestedBy: 'wn-b', digest: sha256Hex('other') });
      insert({ id: 'call', session: 'call-1' });
      insert({ id: 'task', session: 'call-2', task: 't2' });
      at().bench.clock.advance(5);
      insert({ id: 'late', session: 's3' });
      const count = (which: 'in' | 'beside', sinceMs: number, requestedBy = 'wn-a', untilMs = BENCH_START_MS + 5) =>
        at().bench.database.withReadTx((tx) =>
          at().store.countBetween(tx, { requestedBy, prefix: 'call-', which }, sinceMs, untilMs),
        );
      const [before, start] = [BENCH_START_MS - 1, BENCH_START_MS];
      expect([count('beside', before), count('in', before), count('beside', before, 'wn-b')]).toEqual([4, 1, 1]);
      expect([count('beside', start), count('in', start), count('beside', start + 5)]).toEqual([1, 0, 0]);
      expect(count('beside', before, 'wn-a', start)).toBe(3);
    });

    it('says when the questions of a session were put, the newest first, decided or not', () => {
      insert();
      decide(NO, 'a1');
      at().bench.clock.advance(5);
      insert({ id: 'a2' });
      at().bench.clock.advance(5);
      insert({ id: 'a3', origin: 'wn-b' });
      const newest = (session: string, place: number) =>
        at().bench.database.withReadTx((tx) => at().store.newestAtMs(tx, { origin: 'wn-a', session }, place));
      expect([newest('s1', 0), newest('s1', 1), newest('s1', 2), newest('s2', 0)]).toEqual([
        ...[BENCH_START_MS + 5, BENCH_START_MS],
        ...[undefined, undefined],
      ]);
    });

    it('lists newest first, one session or task when asked, those that wait when asked, at most so many', () => {
      for (const id of ['a', 'b', 'c']) insert({ id, digest: sha256Hex(id) });
      insert({ id: 'd', origin: 'wn-b', task: 't1' });
      insert({ id: 'e', session: 's2' });
      decide(NO, 'b');
      const key = { origin: 'wn-a', session: 's1' };
      const list = (filter: Parameters<ApprovalStore['list']>[1]) =>
        at().bench.database.withReadTx((tx) =>
          at()
            .store.list(tx, filter)
            .map(({ id }) => id),
        );
      expect(list({ pendingOnly: false, limit: 9 })).toEqual(['e', 'd', 'c', 'b', 'a']);
      expect(list({ pendingOnly: true, key, limit: 9 })).toEqual(['c', 'a']);
      expect(list({ pendingOnly: false, limit: 2 })).toEqual(['e', 'd']);
      expect(list({ pendingOnly: true, task: 't1', limit: 9 })).toEqual(['d']);
    });

    it('ends everything that could be answered or used, whatever the clock says', () => {
      for (const id of ['waits', 'approved', 'used', 'denied']) insert({ id, digest: sha256Hex(id) });
      // What a plan allows lies in its window.
      insert({ id: 'plan', kind: 'plan' });
      decide(YES, 'plan');
      decide(YES, 'approved');
      decide(YES, 'used');
      use('used', sha256Hex('used'));
      decide(NO, 'denied');
      at().bench.clock.jump(-90_000);
      expect(write((store, tx) => store.endAll(tx)).map(({ id, state }) => [id, state])).toEqual([
        ['waits', 'expired'],
      ]);
      expect(write((store, tx) => store.dropUnused(tx, 'ap-2'))).toEqual([]);
      expect(write((store, tx) => store.dropUnused(tx))).toEqual(['approved']);
      at().bench.clock.jump(90_000);
      expect(states('waits', 'approved', 'used', 'denied')).toEqual(['expired', 'approved', 'approved', 'denied']);
      expect(use('approved', sha256Hex('approved'))).toBe(false);
      expect(['waits', 'approved', 'plan'].map((id) => get(id)?.version)).toEqual([2, 3, 2]);
      expect(write((store, tx) => [...store.endAll(tx), ...store.dropUnused(tx)])).toEqual([]);
    });

    it('ends what cannot be read like everything else, by what names it', () => {
      for (const [id, task] of [['late'], ['of-task', 't1'], ['asked'], ['all']] as const) {
        insert({ id, digest: sha256Hex(id), ...(task === undefined ? {} : { task }) });
      }
      write((_, tx) => tx.prepare(`UPDATE approval SET scopes = '{'`).run());
      expect(get('late')).toBeUndefined();
      write((_, tx) => tx.prepare(`UPDATE approval SET expires_at_ms = 1 WHERE id = 'late'`).run());
      const expired = { kind: 'execution', state: 'expired', scopes: [], preview: '' };
      expect(write((store, tx) => store.expireDue(tx, 9))).toMatchObject([{ id: 'late', ...expired }]);
      const ofTask = write((store, tx) => store.cancelOf(tx, { task: 't1' }));
      expect(ofTask).toMatchObject([{ id: 'of-task', task: 't1', state: 'cancelled', decidedBy: 'node' }]);
      const question = { ...APPROVAL, digest: sha256Hex('asked') };
      const find = () => at().bench.database.withReadTx((tx) => at().store.findUnreadable(tx, question));
      expect(find()).toBe('asked');
      expect(write((store, tx) => store.end(tx, 'asked', 'expired'))?.id).toBe('asked');
      expect(find()).toBeUndefined();
      insert({ id: 'again', digest: question.digest });
      expect(find()).toBeUndefined();
      expect(write((store, tx) => store.endAll(tx)).map(({ id }) => id)).toEqual(['all', 'again']);
    });

    it('ends even a question of no kind that there is, which nobody can be told of', () => {
      insert();
      write((_, tx) => tx.prepare(`UPDATE approval SET kind = 'nonsense'`).run());
      expect(write((store, tx) => store.endAll(tx))).toEqual([]);
      const state = at().bench.database.withReadTx((tx) => tx.prepare('SELECT state FROM approval').pluck().get());
      expect(state).toBe('expired');
    });

    it('prunes what ended over thirty days ago, and never what waits', () => {
      insert({ id: 'waits', expiresAtMs: BENCH_START_MS + 99 * DAY_MS });
      for (const id of ['done', 'done 2', 'done 3']) {
        insert({ id, session: id });
        decide(NO, id);
      }
      const prune = (limit: number) => write((store, tx) => store.prune(believed(tx), limit));
      at().bench.clock.advance(30 * DAY_MS - 1);
      expect(prune(9)).toBe(0);
      at().bench.clock.advance(1);
      expect([prune(2), prune(2), get('done'), get('waits')?.state]).toEqual([2, 1, undefined, 'pending']);
    });

    it.each(['subject', 'scopes', 'digest', 'kind'])(
      'leaves out a row whose %s it cannot read, and reports it',
      (column) => {
        insert();
        insert({ id: 'good', session: 's2' });
        at().bench.database.withWriteTx((tx) =>
          tx.prepare(`UPDATE approval SET ${column} = 'nonsense' WHERE id = 'a1'`).run(),
        );
        expect(get()).toBeUndefined();
        const listed = at().bench.database.withReadTx((tx) => at().store.list(tx, { pendingOnly: true, limit: 9 }));
        expect(listed.map(({ id }) => id)).toEqual(['good']);
        expect(
          at()
            .bench.database.quarantined()
            .map(({ table, key }) => `${table}/${key}`),
        ).toEqual(['approval/a1']);
      },
    );
  });
}
