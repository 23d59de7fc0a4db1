const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How far ahead of the time that has passed while the node ran a clock is still believed. */
const STEP_MS = 7 * DAY_MS;
/** So long the node runs before what it was off for counts no more: steps that follow each other are one. */
const SETTLED_AFTER_MS = HOUR_MS;
/** How long the node runs on before a doubted time is believed after all: long enough for somebody to see it. */
const DOUBTED_MS = DAY_MS;

/** What a node makes of its wall clock, over all its starts. Times of running count while a process of it runs, whatever its clock says. */
export interface ClockBelief {
  /** The wall clock when it was last believed without a second look, milliseconds since the epoch; 0: there was no time before. */
  readonly settledMs: number;
  /** How long the node has run since, milliseconds. */
  readonly awakeMs: number;
  /** Set while the time is doubted. */
  readonly doubt?: ClockDoubt;
}

/** A step ahead that may be a mistake, or a node that was off for long: nobody can tell them apart. */
export interface ClockDoubt {
  /** How far ahead the clock was when the doubt began, milliseconds. */
  readonly aheadMs: number;
  /** `awakeMs` when it began. */
  readonly sinceMs: number;
}

/** A look at the clock. */
export interface ClockLook {
  /** Milliseconds since the epoch. */
  readonly wallMs: number;
  /** How long the node has run since the look before, milliseconds. */
  readonly ranMs: number;
}

/**
 * The belief after a look. A doubt ends once the clock is right again, or after a day of running; a step that more than doubles
 * what is doubted begins the day anew, so that a node that is seldom on comes to its end of it all the same.
 */
export function lookAtClock(before: ClockBelief, { wallMs, ranMs }: ClockLook): ClockBelief {
  const settledAnew = { settledMs: wallMs, awakeMs: 0 };
  if (before.settledMs === 0) return settledAnew;
  const { settledMs } = before;
  const awakeMs = before.awakeMs + ranMs;
  const aheadMs = wallMs - settledMs - awakeMs;
  if (aheadMs > STEP_MS) {
    const known = before.doubt !== undefined && aheadMs <= 2 * before.doubt.aheadMs ? before.doubt : undefined;
    const doubt = known ?? { aheadMs, sinceMs: awakeMs };
    return awakeMs - doubt.sinceMs >= DOUBTED_MS ? settledAnew : { settledMs, awakeMs, doubt };
  }
  if (awakeMs < SETTLED_AFTER_MS) return { settledMs, awakeMs };
  // Time that was believed once is not lost to a clock that stands back: it may come right again, far ahead of there.
  return { settledMs: settledMs + awakeMs + Math.max(0, aheadMs), awakeMs: 0 };
}

/** The belief once a person has taken a clock that went back as true: what is ahead of where it was is doubted as before. */
export function acceptedBelief(before: ClockBelief, wallMs: number): ClockBelief {
  return wallMs < before.settledMs + before.awakeMs ? { settledMs: wallMs, awakeMs: 0 } : before;
}
