import { nextTurn } from '@writ/core';
import { refusePromise } from './transactions.ts';
import type { Database, WriteTx } from './types.ts';

/**
 * A write that shares its transaction with whatever else is asked for in this turn of the event loop; resolves after the
 * commit. `fn` must be synchronous and do nothing beyond the transaction: it is run again where another of the group
 * throws. Rejects with what `fn` throws, and like `withWriteTx`.
 */
export type GroupedWrite = <T>(fn: (tx: WriteTx) => T) => Promise<T>;

interface Waiting {
  /** Writes; returns how its caller is told once that is committed. */
  run(tx: WriteTx): () => void;
  fail(error: unknown): void;
}

/** For writes of which many come at once and none is urgent: one commit, and so one wait for the disk, for all of them. */
export function createGroupedWrites({ withWriteTx }: Pick<Database, 'withWriteTx'>): GroupedWrite {
  let waiting: Waiting[] = [];
  const commitNextTurn = async (): Promise<void> => {
    await nextTurn();
    const group = waiting;
    waiting = [];
    commit(withWriteTx, group);
  };
  return (fn) =>
    new Promise((resolve, reject) => {
      waiting.push({
        run(tx) {
          const result = refusePromise(fn(tx));
          return () => resolve(result);
        },
        fail: reject,
      });
      if (waiting.length === 1) void commitNextTurn();
    });
}

/** All of them in one transaction. One that throws is told and left out; what is no fault of any of them is everybody's. */
function commit(withWriteTx: Database['withWriteTx'], group: readonly Waiting[]): void {
  let running: Waiting | undefined;
  try {
    const tellAll = withWriteTx((tx) =>
      group.map((one) => {
        running = one;
        const tell = one.run(tx);
        running = undefined;
        return tell;
      }),
    );
    for (const tell of tellAll) tell();
  } catch (error) {
    const failing = running === undefined ? group : [running];
    for (const one of failing) one.fail(error);
    const others = group.filter((one) => !failing.includes(one));
    if (others.length > 0) commit(withWriteTx, others);
  }
}
