import type { Cancel } from '@writ/core';
import { setWallAlarm } from '../wall-alarm.ts';
import { type LiveTask, stopLive } from './live-task.ts';
import type { ExecutorParts } from './parts.ts';

/**
 * Ends what runs when its writ does, where its profile says so (`on_partition`); a writ that was extended meanwhile is
 * waited for again. Returns how to stop.
 */
export function watchWrit(parts: Pick<ExecutorParts, 'clock' | 'database' | 'logger'>, live: LiveTask): Cancel {
  if (live.permit?.onPartition === 'continue' || live.writEndsAtMs === undefined) return () => {};
  const alarm = {
    clock: parts.clock,
    // INVARIANT: 4 a clock that went back lets no writ live for longer.
    nowMs: () => parts.database.nowMs(),
    whenMs: () => live.writEndsAtMs ?? Number.POSITIVE_INFINITY,
  };
  return setWallAlarm(alarm, () => {
    parts.logger.info('the writ of a running task has ended', { task: live.id });
    const message = 'its writ has ended and was not renewed (`on_partition` of its profile is `cancel`)';
    stopLive(live, { kind: 'withdrawn', code: 'WRIT_EXPIRED', message });
  });
}
