import { WritError } from '@writ/core';
import type { Mirror } from '@writ/task-store';
import type { PeerClient, WatchedEvent } from '../types.ts';
import { readFully } from '../watch-events.ts';
import type { OriginParts } from './parts.ts';

/** Longest piece of output that one event of a peer may claim, bytes. */
const LONGEST_OUTPUT_BYTES = 4 * 1024 * 1024;

/**
 * Takes over the events that follow the mirror's cursor. True when the outcome came, false when the stream ended or was
 * aborted before. Throws what the client throws, INTERNAL for a stream with a gap.
 */
export async function takeEvents(
  parts: OriginParts,
  mirror: Mirror,
  client: PeerClient,
  view: { readonly signal: AbortSignal; readonly progressed: () => void },
): Promise<boolean> {
  let { cursor } = mirror;
  for await (const watched of client.watch(mirror.id, cursor, view.signal)) {
    const { event } = watched;
    if (view.signal.aborted) return false;
    if (event.seq <= cursor) continue;
    if (event.seq > cursor + 1) throw protocolError(`event ${event.seq} came after event ${cursor}`);
    // Bytes first: the cursor must not stand behind output that this node does not have.
    if (event.kind === 'output') await keepOutput(parts, mirror.id, client, watched);
    const applied = parts.journal.apply(mirror.id, event);
    if (!applied) return false;
    cursor = event.seq;
    view.progressed();
    if (event.kind === 'outcome') return true;
  }
  return false;
}

async function keepOutput(parts: OriginParts, id: string, client: PeerClient, watched: WatchedEvent): Promise<void> {
  const { event, data } = watched;
  if (event.kind !== 'output') return;
  if (event.length > LONGEST_OUTPUT_BYTES) throw protocolError(`an event of ${event.length} bytes of output`);
  const bytes = data?.length === event.length ? data : await fetchOutput(id, client, event);
  await parts.transcripts.write(id, event.offset, bytes);
}

/** For a watch that left the bytes out. */
async function fetchOutput(
  id: string,
  client: PeerClient,
  piece: { readonly offset: number; readonly length: number },
): Promise<Uint8Array> {
  const read = async (at: number, most: number): Promise<Uint8Array> =>
    (await client.readTranscript(id, at, most)).data.subarray(0, most);
  const bytes = await readFully(read, piece.offset, piece.length);
  if (bytes.length < piece.length) throw protocolError('output of an event is missing from the transcript');
  return bytes;
}

function protocolError(what: string): WritError {
  return new WritError('INTERNAL', `the peer broke the protocol: ${what}`);
}
