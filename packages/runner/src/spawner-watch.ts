import type { Clock } from '@writ/core';

/** How a spawner is asked whether it still works. */
export interface SpawnerWatchOptions {
  readonly clock: Clock;
  /** Between two questions, milliseconds. */
  readonly askEveryMs: number;
  /** Sends a question. */
  readonly ask: () => void;
  /** So many questions in a row were answered by nothing; called once, nothing is asked afterwards. */
  readonly onSilent: (silentMs: number) => void;
}

/** Sees that a spawner answers. */
export interface SpawnerWatch {
  /** Something has come from it. */
  answered(): void;
  /** From now on it is given up much sooner: whatever waits for it keeps a node from ending. */
  hasten(): void;
  stop(): void;
}

/** Questions in a row without any answer, after which a spawner counts as hanging. */
const MOST_UNANSWERED = 6;
/** Between two questions in haste, milliseconds. */
const HASTE_MS = 1000;

/**
 * Asks a spawner again and again. Questions are counted and not time: on a machine that slept, or a node that was held up
 * itself, the time is over with a single question, and the spawner has the next ones to answer.
 */
export function watchSpawner({ clock, askEveryMs, ask, onSilent }: SpawnerWatchOptions): SpawnerWatch {
  let everyMs = askEveryMs;
  let unanswered = 0;
  let isOver = false;
  /** What has not answered yet is being loaded, and is in nobody's haste. */
  let hasAnswered = false;
  let isHasty = false;
  let cancel = (): void => {};
  const askAgain = (): void => {
    if (unanswered >= MOST_UNANSWERED) {
      isOver = true;
      onSilent(unanswered * everyMs);
      return;
    }
    unanswered += 1;
    ask();
    cancel = clock.setTimer(everyMs, askAgain);
  };
  const beHasty = (): void => {
    if (isOver || !isHasty || !hasAnswered || everyMs <= HASTE_MS) return;
    cancel();
    everyMs = HASTE_MS;
    unanswered = 0;
    askAgain();
  };
  askAgain();
  return {
    answered() {
      unanswered = 0;
      hasAnswered = true;
      beHasty();
    },
    hasten() {
      isHasty = true;
      beHasty();
    },
    stop() {
      isOver = true;
      cancel();
    },
  };
}
