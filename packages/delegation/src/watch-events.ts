import type { TaskEvent } from '@writ/task-store';
import type { WatchedEvent } from './types.ts';
import type { Wakeups } from './wakeups.ts';

/**
 * Events that one read takes, fewer at first: a watcher that takes none costs so many rows and one piece of output, one that goes
 * on never more than the last.
 */
const FIRST_PAGE_EVENTS = 4;
const PAGE_EVENTS = 256;

/** Longest envelope that goes along with the event that ends a task. */
const INLINE_BYTES = 256 * 1024;

/** Where the events of one end's tasks are kept. */
export interface EventRows {
  /** Events after `afterSeq`, and whether the task is terminal, in one read. Throws NOT_FOUND. */
  page(
    task: string,
    afterSeq: number,
    limit: number,
  ): { readonly events: readonly TaskEvent[]; readonly ended: boolean };
  /** Transcript bytes; fewer only where they are gone. */
  bytes(task: string, offset: number, length: number): Promise<Uint8Array>;
  /** The envelope of a signed result; absent where watchers get none. */
  envelope?(sha256: string): Uint8Array | undefined;
}

/** Stored events, then live ones, gapless; ends after the outcome, when `signal` aborts or the wake-ups close. */
export async function* watchEvents(
  rows: EventRows,
  wakeups: Wakeups,
  view: { readonly task: string; readonly afterSeq: number; readonly signal: AbortSignal },
): AsyncGenerator<WatchedEvent, void, undefined> {
  let cursor = view.afterSeq;
  let limit = FIRST_PAGE_EVENTS;
  while (!view.signal.aborted && !wakeups.closed) {
    const page = rows.page(view.task, cursor, limit);
    limit = Math.min(4 * limit, PAGE_EVENTS);
    if (page.events.length === 0) {
      if (page.ended) return;
      await wakeups.wait(view.task, view.signal);
    }
    for (const event of page.events) {
      if (view.signal.aborted) return;
      yield await complete(rows, view.task, event);
      cursor = event.seq;
      if (event.kind === 'outcome') return;
    }
  }
}

/** An event with the bytes that go along with it. */
async function complete(rows: EventRows, task: string, event: TaskEvent): Promise<WatchedEvent> {
  if (event.kind === 'output') return { event, data: await rows.bytes(task, event.offset, event.length) };
  const digest = event.kind === 'outcome' ? event.outcome.result : undefined;
  const result = digest === undefined ? undefined : rows.envelope?.(digest);
  return result === undefined || result.length > INLINE_BYTES ? { event } : { event, result };
}

/** Reads `length` bytes from `offset` by as many calls as it takes; fewer where there are no more. */
export async function readFully(
  read: (offset: number, limit: number) => Promise<Uint8Array>,
  offset: number,
  length: number,
): Promise<Uint8Array> {
  const first = await read(offset, length);
  if (first.length === length || first.length === 0) return first;
  const pieces = [first];
  let have = first.length;
  while (have < length) {
    const piece = await read(offset + have, length - have);
    if (piece.length === 0) break;
    pieces.push(piece);
    have += piece.length;
  }
  return Buffer.concat(pieces, have);
}
