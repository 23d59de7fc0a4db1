import { WritError } from '@writ/core';
import type { Mirror, TaskEvent } from '@writ/task-store';
import type { PeerClient, WatchedEvent } from '../types.ts';
import { readFully } from '../watch-events.ts';
import type { OriginParts } from './parts.ts';

/** Longest piece of output that one event of a peer may claim, bytes. */
const LONGEST_OUTPUT_BYTES = 4 * 1024 * 1024;

/** Most events that one transaction takes over. */
const BATCH_EVENTS = 64;

/**
 * Takes over the events that follow the mirror's cursor; those that are there already go in one transaction. True when
 * the outcome came, false when the stream ended or was aborted before. Throws what the client throws, INTERNAL for a
 * stream with a gap.
 */
export async function takeEvents(
  parts: OriginParts,
  mirror: Mirror,
  client: PeerClient,
  view: { readonly signal: AbortSignal; readonly progressed: () => void },
): Promise<boolean> {
  let { cursor } = mirror;
  for await (const batch of batches(client.watch(mirror.id, cursor, view.signal))) {
    if (view.signal.aborted) return false;
    const events: TaskEvent[] = [];
    for (const watched of batch) {
      const { event } = watched;
      if (event.seq <= cursor) continue;
      if (event.seq > cursor + 1) throw protocolError(`event ${event.seq} came after event ${cursor}`);
      // Bytes first: the cursor must not stand behind output that this node does not have.
      if (event.kind === 'output') await keepOutput(parts, mirror.id, client, watched);
      events.push(event);
      cursor = event.seq;
    }
    if (events.length === 0) continue;
    if (!parts.journal.apply(mirror.id, events)) return false;
    view.progressed();
    if (events.at(-1)?.kind === 'outcome') return true;
  }
  return false;
}

/** What has arrived together comes together; nothing waits for more. A batch ends with the outcome. */
async function* batches(stream: AsyncIterable<WatchedEvent>): AsyncGenerator<readonly WatchedEvent[]> {
  const iterator = stream[Symbol.asyncIterator]();
  let coming = iterator.next();
  for (;;) {
    let result: IteratorResult<WatchedEvent> | undefined = await coming;
    const batch: WatchedEvent[] = [];
    while (result && !result.done) {
      batch.push(result.value);
      if (result.value.event.kind === 'outcome') {
        yield batch;
        return void (await iterator.return?.());
      }
      coming = iterator.next();
      result = batch.length < BATCH_EVENTS ? await Promise.race([coming, endOfTurn()]) : undefined;
    }
    if (batch.length > 0) yield batch;
    if (result?.done) return;
  }
}

/** Resolves when nothing that is ready now is left to run. */
function endOfTurn(): Promise<undefined> {
  return new Promise((resolve) => process.nextTick(resolve, undefined));
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
