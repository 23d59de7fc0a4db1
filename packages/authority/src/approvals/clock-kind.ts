import { digestJson, formatDuration, type Json } from '@writ/core';
import { type Database, fieldsOf } from '@writ/database';
import type { Approval } from '@writ/lease-store';
import { z } from 'zod';
import type { KindRules } from '../record-types.ts';
import { askerLines, type ShownAsker, showLines } from './showing.ts';
import type { Question } from './types.ts';

/** A wall clock that went back, as a person is shown it; both times in milliseconds since the epoch. */
export interface ClockWish {
  readonly act: 'accept-clock';
  /** What the wall clock showed when it was asked about. */
  readonly wallMs: number;
  /** The highest time that this node has recorded. */
  readonly markMs: number;
}

const wishSchema = z.object(
  fieldsOf<ClockWish>()({ act: z.literal('accept-clock'), wallMs: z.number().int(), markMs: z.number().int() }),
);

/** How long after it was asked about a clock counts as the same, milliseconds: nothing runs out while it stands back. */
const SAME_CLOCK_MS = 1_200_000;
/** How far it may be behind what was shown, milliseconds. */
const SLACK_MS = 60_000;
/** Asked within the same ten minutes, it is one question. */
const STEP_MS = 600_000;

/** The question that a clock which went back is. */
export function clockQuestion(
  { wallMs, markMs }: Omit<ClockWish, 'act'>,
  question: Pick<Question, 'asker' | 'lifetimeMs'>,
  shown: ShownAsker,
): Question {
  const wish: ClockWish = { act: 'accept-clock', wallMs, markMs };
  return {
    ...question,
    kind: 'policy',
    digest: digestOf(wish),
    subject: { ...wish },
    scopes: ['once'],
    preview: showLines([
      ...askerLines(shown, question.asker),
      { label: 'accept the clock of this machine, which shows', text: new Date(wallMs).toISOString() },
      { label: 'although this node has recorded', text: new Date(markMs).toISOString() },
      { label: 'that is back by', text: formatDuration(Math.max(0, Math.floor((markMs - wallMs) / 1000) * 1000)) },
      {
        label: 'with it end',
        text: 'every lease, window, invite, question and command that waits, and every yes that was not used',
      },
    ]),
  };
}

/** Whether a question is about a clock that went back: the one thing that is asked and answered while it is. */
export function isClockWish({ kind, subject }: Pick<Approval, 'kind' | 'subject'>): boolean {
  return kind === 'policy' && wishSchema.safeParse(subject).success;
}

/** A yes accepts the clock, in its own transaction; `accept` ends what is limited in time. */
export function createClockRules(
  database: Pick<Database, 'clockIsBackwards' | 'clockBehindMs' | 'nowMs'>,
  accept: (tx: Parameters<KindRules['settle']>[0], by: string) => void,
): KindRules {
  return {
    refusal: () => (database.clockIsBackwards() ? undefined : NOT_BACK),
    digestNow(_, { subject }) {
      const wish = wishSchema.safeParse(subject).data;
      if (wish === undefined || database.nowMs() !== wish.markMs) return undefined;
      // INVARIANT: 5 the clock that is accepted is the one that was shown, and not one that was set since.
      const movedMs = database.nowMs() - database.clockBehindMs() - wish.wallMs;
      return movedMs >= -SLACK_MS && movedMs <= SAME_CLOCK_MS ? digestOf(wish) : undefined;
    },
    settle(tx, { state, decidedBy = '' }) {
      if (state === 'approved') accept(tx, decidedBy);
    },
  };
}

const NOT_BACK = {
  code: 'CONFLICT',
  message: 'the clock of this node has not gone back',
  nextSteps: ['nothing has to be accepted'],
} as const;

function digestOf({ wallMs, markMs }: ClockWish): string {
  const said: Json = { is: 'writ clock acceptance 1', markMs, step: Math.floor(wallMs / STEP_MS) };
  return digestJson(said);
}
