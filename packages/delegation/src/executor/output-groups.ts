import type { Cancel, Clock } from '@writ/core';
import type { TaskEventBody } from '@writ/task-store';

/** Quiet time between two groups, milliseconds: the most that output is held back for. */
const GROUP_MS = 10;
/** A group is closed at this size at the latest, and no event covers more. */
const GROUP_BYTES = 64 * 1024;
/** Bytes over the cap are only counted; how long until the count is told again, milliseconds: twice as long each time. */
const DROPPED_MS = 1000;
const LONGEST_DROPPED_MS = 60_000;

type Output = Extract<TaskEventBody, { kind: 'output' }>;

/** Gathers the output of one attempt into groups of events, one transaction a group. */
export interface OutputGroups {
  add(stream: 'stdout' | 'stderr', length: number, offset: number | undefined): void;
  /** Takes what is not written yet, for the transaction that ends the attempt, and stops. */
  finish(): readonly TaskEventBody[];
}

/**
 * The first output after a pause is written at once, what follows within 10 ms goes together. Only offsets are held,
 * never bytes. `write` stores one group; when it throws, the group stays and goes with the next.
 */
export function createOutputGroups(options: {
  readonly clock: Clock;
  readonly write: (bodies: readonly TaskEventBody[]) => void;
  readonly onError: (error: unknown) => void;
}): OutputGroups {
  const { clock } = options;
  let events: Output[] = [];
  let bytes = 0;
  const dropped = { stdout: 0, stderr: 0 };
  let timer: Cancel | undefined;
  let writtenAtMs = Number.NEGATIVE_INFINITY;
  let droppedAtMs = Number.NEGATIVE_INFINITY;
  let untilDroppedMs = DROPPED_MS;

  function bodies(withDropped: boolean): readonly TaskEventBody[] {
    const counts = withDropped ? (['stdout', 'stderr'] as const).filter((stream) => dropped[stream] > 0) : [];
    return [...events, ...counts.map((stream) => ({ kind: 'dropped' as const, stream, bytes: dropped[stream] }))];
  }

  function flush(): void {
    timer?.();
    timer = undefined;
    const nowMs = clock.monotonicMs();
    const withDropped = nowMs - droppedAtMs >= untilDroppedMs;
    const group = bodies(withDropped);
    writtenAtMs = nowMs;
    if (group.length > 0) {
      try {
        options.write(group);
      } catch (error) {
        options.onError(error);
        return;
      }
    }
    events = [];
    bytes = 0;
    if (!withDropped || dropped.stdout + dropped.stderr === 0) return;
    if (Number.isFinite(droppedAtMs)) untilDroppedMs = Math.min(2 * untilDroppedMs, LONGEST_DROPPED_MS);
    droppedAtMs = nowMs;
    dropped.stdout = 0;
    dropped.stderr = 0;
  }

  function addKept(stream: 'stdout' | 'stderr', length: number, offset: number): void {
    const last = events.at(-1);
    if (last?.stream === stream && last.offset + last.length === offset && last.length + length <= GROUP_BYTES) {
      events[events.length - 1] = { ...last, length: last.length + length };
    } else {
      for (let at = 0; at < length; at += GROUP_BYTES) {
        events.push({ kind: 'output', stream, offset: offset + at, length: Math.min(GROUP_BYTES, length - at) });
      }
    }
    bytes += length;
  }

  return {
    add(stream, length, offset) {
      if (length === 0) return;
      if (offset === undefined) dropped[stream] += length;
      else addKept(stream, length, offset);
      const quietMs = clock.monotonicMs() - writtenAtMs;
      if (bytes >= GROUP_BYTES || quietMs >= GROUP_MS) {
        if (offset !== undefined || clock.monotonicMs() - droppedAtMs >= untilDroppedMs) flush();
      } else if (offset !== undefined) {
        timer ??= clock.setTimer(GROUP_MS - quietMs, flush);
      }
    },
    finish() {
      timer?.();
      timer = undefined;
      const rest = bodies(true);
      events = [];
      dropped.stdout = 0;
      dropped.stderr = 0;
      return rest;
    },
  };
}
