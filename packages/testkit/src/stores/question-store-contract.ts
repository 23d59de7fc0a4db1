import type { NewQuestion, QuestionStore, Settlement } from '@writ/task-store';
import { expect, it } from 'vitest';
import { BENCH_START_MS, type MakeStore, thrownBy } from './store-bench.ts';
import { withBench } from './with-bench.ts';

const ASKED: NewQuestion = { task: 't1', turn: 1, id: '1.1', kind: 'input', text: 'which branch?' };
const REPLIED: Settlement = { state: 'answered', by: 'wn-a', answer: 'main', answerKey: 'k1' };

/** What every QuestionStore does. */
export function describeQuestionStoreContract(name: string, make: MakeStore<QuestionStore>): void {
  withBench(`${name} as a QuestionStore`, make, (at) => {
    const insert = (change: Partial<NewQuestion> = {}) =>
      at().bench.database.withWriteTx((tx) => at().store.insert(tx, { ...ASKED, ...change }));
    const get = (id = '1.1', task = 't1') => at().bench.database.withReadTx((tx) => at().store.get(tx, task, id));
    const open = (task = 't1') =>
      at().bench.database.withReadTx((tx) =>
        at()
          .store.listOpen(tx, task)
          .map(({ id }) => id),
      );
    const settle = (how: Settlement = REPLIED, id = '1.1', task = 't1') =>
      at().bench.database.withWriteTx((tx) => at().store.settle(tx, task, id, how));
    const counts = (task = 't1') => at().bench.database.withReadTx((tx) => at().store.counts(tx, task));

    it('gives back what was asked, absent fields absent', () => {
      expect(insert()).toEqual({ ...ASKED, state: 'open', askedAtMs: BENCH_START_MS });
      const full = {
        id: '1.2',
        kind: 'approval',
        choices: ['yes', 'no'],
        previous: 'refused',
        approval: 'a1',
      } as const;
      expect(insert(full)).toMatchObject(full);
      expect(get('1.2')).toMatchObject(full);
      expect(get('1.2', 't2')).toBeUndefined();
    });

    it('has one question of an id in a task, and another in another task', () => {
      insert();
      expect(thrownBy(() => insert({ text: 'another' }))).toMatchObject({ code: 'DATABASE_ERROR' });
      insert({ task: 't2' });
      expect(get()?.text).toBe('which branch?');
    });

    it('lists what is open of one task, in the order of asking', () => {
      for (const id of ['1.1', '1.2', '1.3']) insert({ id });
      insert({ task: 't2', id: '1.9' });
      settle(REPLIED, '1.2');
      expect(open()).toEqual(['1.1', '1.3']);
    });

    it('settles once, and keeps how', () => {
      insert();
      at().bench.clock.advance(5);
      const settled = settle();
      const { by, ...how } = REPLIED;
      expect(settled).toMatchObject({ ...how, settledBy: by, settledAtMs: BENCH_START_MS + 5 });
      for (const state of ['answered', 'denied', 'ended'] as const) {
        expect(settle({ state, by: 'somebody else', answer: 'other' })).toBeUndefined();
      }
      expect(get()).toEqual(settled);
      expect(settle(REPLIED, '1.7')).toBeUndefined();
      expect(settle(REPLIED, '1.1', 't2')).toBeUndefined();
    });

    it('is settled once for every statement of every connection', () => {
      insert();
      settle();
      const write = (): void =>
        at().bench.database.withWriteTx((tx) => void tx.prepare(`UPDATE question SET state = 'open'`).run());
      expect(thrownBy(write)).toBeDefined();
      expect(get()?.state).toBe('answered');
    });

    it('keeps no credential, whatever it is told', () => {
      insert({ kind: 'credential' });
      expect(thrownBy(() => settle())).toMatchObject({ code: 'DATABASE_ERROR' });
      expect(get()?.state).toBe('open');
      expect(settle({ state: 'answered', by: 'wn-a', answerKey: 'k1' })?.answer).toBeUndefined();
    });

    it('finds the open question of an approval', () => {
      insert({ kind: 'approval', approval: 'a1' });
      const find = () => at().bench.database.withReadTx((tx) => at().store.findOpenByApproval(tx, 'a1')?.id);
      expect(find()).toBe('1.1');
      settle({ state: 'approved', by: 'approver-1' });
      expect(find()).toBeUndefined();
    });

    it('counts questions, turns and questions of the newest turn', () => {
      expect(counts()).toEqual({ asked: 0, turn: 0, inTurn: 0 });
      for (const [turn, id] of [
        [1, '1.1'],
        [2, '2.1'],
        [2, '2.2'],
      ] as const) {
        insert({ turn, id });
      }
      insert({ task: 't2', turn: 7 });
      expect(counts()).toEqual({ asked: 3, turn: 2, inTurn: 2 });
    });

    it('knows the newest credential that was given, and none that was only asked for', () => {
      const last = () => at().bench.database.withReadTx((tx) => at().store.lastCredential(tx, 't1')?.id);
      insert({ kind: 'credential' });
      insert({ kind: 'credential', id: '1.2' });
      expect(last()).toBeUndefined();
      settle({ state: 'answered', by: 'wn-a' });
      settle({ state: 'withdrawn', by: 'node' }, '1.2');
      expect(last()).toBe('1.1');
    });
  });
}
