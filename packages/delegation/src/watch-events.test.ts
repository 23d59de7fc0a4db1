import type { TaskEvent } from '@writ/task-store';
import { expect, it } from 'vitest';
import type { WatchedEvent } from './types.ts';
import { createWakeups } from './wakeups.ts';
import { type EventRows, watchEvents } from './watch-events.ts';

const KIB = 1024;

/** The last event of a task whose result has an envelope of this many bytes. */
async function lastOf(bytes: number, envelope: NonNullable<EventRows['envelope']> = () => new Uint8Array(bytes)) {
  const counts = { truncated: false, stdoutBytes: 0, stderrBytes: 0, endedAtMs: 1 };
  const outcome = { state: 'completed', message: '', result: 'a'.repeat(64), ...counts } as const;
  const events: readonly TaskEvent[] = [{ seq: 1, atMs: 1, epoch: 1, kind: 'outcome', outcome }];
  const rows: EventRows = {
    page: () => ({ events, ended: true }),
    bytes: async () => new Uint8Array(),
    envelope,
  };
  const view = { task: 't1', afterSeq: 0, signal: new AbortController().signal };
  const watched: WatchedEvent[] = [];
  for await (const one of watchEvents(rows, createWakeups(), view)) watched.push(one);
  return watched.at(-1);
}

it('a watcher that takes one event has made its node read a few, and one that goes on more at a time', async () => {
  const limits: number[] = [];
  const rows: EventRows = {
    page(_task, afterSeq, limit) {
      limits.push(limit);
      const place = (at: number): TaskEvent => ({
        ...{ seq: afterSeq + at + 1, atMs: 1, epoch: 1 },
        ...{ kind: 'state', state: 'running' },
      });
      return { events: Array.from({ length: limit }, (_, at) => place(at)), ended: false };
    },
    bytes: async () => new Uint8Array(),
  };
  const view = { task: 't1', afterSeq: 0, signal: new AbortController().signal };
  for await (const { event } of watchEvents(rows, createWakeups(), view)) if (event.seq === 1000) break;
  expect(limits).toEqual([4, 16, 64, 256, 256, 256, 256]);
});

it('the end of a task brings its envelope along where that is small', async () => {
  expect((await lastOf(256 * KIB))?.result).toHaveLength(256 * KIB);
  expect(await lastOf(256 * KIB + 1)).not.toHaveProperty('result');
  expect(await lastOf(0, () => undefined)).not.toHaveProperty('result');
});
