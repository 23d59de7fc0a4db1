import { isTerminal } from '@writ/task-store';
import type { TranscriptPage, WaitingFor, WatchedEvent } from '../types.ts';
import { waitingFor } from '../waiting-for.ts';
import { readFully, watchEvents } from '../watch-events.ts';
import type { ExecutorParts } from './parts.ts';

/** Most transcript bytes that one read returns. */
const PAGE_BYTES = 1024 * 1024;

/** A page of a task's transcript; `end` only when the task is terminal and nothing follows. Throws NOT_FOUND. */
export async function readPage(
  { database, journal, runner }: ExecutorParts,
  id: string,
  offset: number,
  limit: number,
): Promise<TranscriptPage> {
  const ended = isTerminal(database.withReadTx((tx) => journal.require(tx, id)).state);
  const wanted = Math.min(limit, PAGE_BYTES);
  const data = await readFully((at, most) => runner.readTranscript(id, at, most), offset, wanted);
  return { data, next: offset + data.length, end: ended && data.length < wanted };
}

/** What a task waits for, where it waits for a person. */
export function readWaiting({ database, tasks }: ExecutorParts, id: string): WaitingFor | undefined {
  return database.withReadTx((tx) =>
    waitingFor(tasks.get(tx, id), (after, limit) => tasks.events(tx, id, after, limit)),
  );
}

/** The task's events from its rows, output bytes from the runner's transcript. Throws NOT_FOUND at the first step. */
export function watchTask(
  { database, journal, tasks, runner, evidence, wakeups }: ExecutorParts,
  view: { readonly task: string; readonly afterSeq: number; readonly signal: AbortSignal },
): AsyncIterable<WatchedEvent> {
  const rows = {
    page: (id: string, after: number, limit: number) =>
      database.withReadTx((tx) => {
        const { state } = journal.require(tx, id);
        return { events: tasks.events(tx, id, after, limit), ended: isTerminal(state) };
      }),
    bytes: (id: string, offset: number, length: number) =>
      readFully((at, most) => runner.readTranscript(id, at, most), offset, length),
    envelope: (sha256: string) => database.withReadTx((tx) => evidence.results.envelope(tx, sha256)),
  };
  return watchEvents(rows, wakeups, view);
}
