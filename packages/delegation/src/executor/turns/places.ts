import { WritError } from '@writ/core';
import type { WriteTx } from '@writ/database';
import type { ExecutorParts } from '../parts.ts';
import { MOST_ASKED, MOST_OPEN } from './wishes.ts';

/** Where the next questions of a task stand. */
export interface Places {
  readonly turn: number;
  /** `TURN.NUMBER`, as many as were wanted. */
  readonly ids: readonly string[];
}

/** Places for `count` questions: in the turn that is open, or in a new one. Throws LIMIT_EXCEEDED. */
export function nextPlaces({ turns }: ExecutorParts, tx: WriteTx, task: string, count: number): Places {
  const store = turns.questions;
  const open = store.listOpen(tx, task);
  const counts = store.counts(tx, task);
  if (open.length + count > MOST_OPEN || counts.asked + count > MOST_ASKED) {
    const message = `a task has at most ${MOST_OPEN} questions open, and asks at most ${MOST_ASKED}`;
    throw new WritError('LIMIT_EXCEEDED', message, { nextSteps: ['wait for the answers, and ask for more at once'] });
  }
  const turn = open[0]?.turn ?? counts.turn + 1;
  const before = open.length > 0 ? counts.inTurn : 0;
  return { turn, ids: Array.from({ length: count }, (_, at) => `${turn}.${before + at + 1}`) };
}
