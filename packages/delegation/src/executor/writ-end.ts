import type { Cancel } from '@writ/core';
import { type LiveTask, stopLive } from './live-task.ts';
import type { ExecutorParts } from './parts.ts';

/** Longest that is waited for at once, milliseconds: no timer is asked for more than it can hold. */
const LONGEST_WAIT_MS = 3_600_000;

/**
 * Ends what runs when its writ does, where its profile says so (`on_partition`); a writ that was extended meanwhile is
 * waited for again. Returns how to stop.
 */
export function watchWrit({ clock, logger }: Pick<ExecutorParts, 'clock' | 'logger'>, live: LiveTask): Cancel {
  if (live.permit?.onPartition === 'continue' || live.writEndsAtMs === undefined) return () => {};
  let disarm: Cancel = () => {};
  const look = (): void => {
    const leftMs = (live.writEndsAtMs ?? Number.POSITIVE_INFINITY) - clock.nowMs();
    if (leftMs > 0) {
      disarm = clock.setTimer(Math.min(leftMs, LONGEST_WAIT_MS), look);
      return;
    }
    logger.info('the writ of a running task has ended', { task: live.id });
    const message = 'its writ has ended and was not renewed (`on_partition` of its profile is `cancel`)';
    stopLive(live, { kind: 'withdrawn', code: 'WRIT_EXPIRED', message });
  };
  look();
  return () => disarm();
}
