import { isTerminal, type TaskEvent } from '@writ/task-store';
import type { TranscriptPage, WatchedEvent } from '../types.ts';
import { readFully, watchEvents } from '../watch-events.ts';
import type { OriginParts } from './parts.ts';

/** Most transcript bytes that one read returns. */
const PAGE_BYTES = 1024 * 1024;

/** A page of the origin's own copy of a transcript. Throws NOT_FOUND. */
export async function readMirrorPage(
  { journal, transcripts }: OriginParts,
  id: string,
  offset: number,
  limit: number,
): Promise<TranscriptPage> {
  const ended = isTerminal(journal.require(id).state);
  const wanted = Math.min(limit, PAGE_BYTES);
  const data = await readFully((at, most) => transcripts.read(id, at, most), offset, wanted);
  return { data, next: offset + data.length, end: ended && data.length < wanted };
}

/** The mirror's events, output bytes from the origin's own transcript. Throws NOT_FOUND at the first step. */
export function watchMirror(
  { database, journal, mirrors, transcripts, wakeups }: OriginParts,
  view: { readonly task: string; readonly afterSeq: number; readonly signal: AbortSignal },
): AsyncIterable<WatchedEvent> {
  const page = (id: string, after: number, limit: number): { events: readonly TaskEvent[]; ended: boolean } => {
    const { state, outcome, cursor } = journal.require(id);
    const stored = database.withReadTx((tx) => mirrors.events(tx, id, after, limit));
    // The mirror's own outcome counts: what came after it was ended here changes nothing.
    const events = stored.map((event) => (event.kind === 'outcome' && outcome ? { ...event, outcome } : event));
    const ended = isTerminal(state);
    // A mirror that ended without its executor has no such event: it is told all the same, after what there is.
    if (!ended || !outcome || events.length > 0 || after !== cursor) return { events, ended };
    return { events: [{ seq: cursor + 1, atMs: outcome.endedAtMs, epoch: 0, kind: 'outcome', outcome }], ended };
  };
  const bytes = (id: string, offset: number, length: number): Promise<Uint8Array> =>
    readFully((at, most) => transcripts.read(id, at, most), offset, length);
  return watchEvents({ page, bytes }, wakeups, view);
}
