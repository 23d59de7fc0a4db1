import { type Clock, toWritError, WritError } from '@writ/core';
import type { Mirror, TaskEvent } from '@writ/task-store';
import type { PeerClient } from '../peer-port.ts';
import type { WatchedEvent } from '../types.ts';
import { readFully } from '../watch-events.ts';
import type { OriginParts } from './parts.ts';
import type { Intake } from './results/intake.ts';
import { endWithResult } from './results/outcome-event.ts';

/** Longest piece of output that one event of a peer may claim, bytes. */
const LONGEST_OUTPUT_BYTES = 4 * 1024 * 1024;

/** How long changes of state wait for what follows them, to be stored with it, milliseconds. */
const GROUP_MS = 10;
/** Most events that one transaction takes over. */
const BATCH_EVENTS = 64;

/** How one watch is followed. */
interface View {
  readonly signal: AbortSignal;
  readonly progressed: () => void;
  /** What earlier watches have brought of the result. */
  readonly intake: Intake;
}

/**
 * Takes over the events that follow the mirror's cursor, by as few transactions as do not delay the output. True when
 * the outcome came and its result with it, false when the stream ended or was aborted before. Throws what the client
 * throws, INTERNAL for a stream with a gap, DATABASE_ERROR where this node cannot keep what comes.
 */
export async function takeEvents(parts: OriginParts, mirror: Mirror, client: PeerClient, view: View): Promise<boolean> {
  let { cursor } = mirror;
  let end = parts.database.withReadTx((tx) => parts.mirrors.outputEnd(tx, mirror.id));
  for await (const batch of batches(client.watch(mirror.id, cursor, view.signal), parts.clock)) {
    if (view.signal.aborted) return false;
    const events: TaskEvent[] = [];
    for (const watched of batch) {
      const { event } = watched;
      if (event.seq <= cursor) continue;
      if (event.seq > cursor + 1) throw protocolError(`event ${event.seq} came after event ${cursor}`);
      if (event.kind === 'outcome') {
        return takeOutcome(
          parts,
          { mirror, client, watched: { ...watched, event }, before: events, outputEnd: end },
          view,
        );
      }
      // Bytes first: the cursor must not stand behind output that this node does not have.
      const kept = event.kind === 'output' ? await keepOutput(parts, { id: mirror.id, client, end }, watched) : event;
      if (kept.kind === 'output') end += kept.length;
      events.push(kept);
      cursor = event.seq;
    }
    if (events.length === 0) continue;
    if (!parts.journal.apply(mirror.id, events)) return false;
    view.progressed();
  }
  return false;
}

/**
 * The last event, with the result that it names: one transaction with what came right before, unless the result has to
 * be waited for.
 */
async function takeOutcome(
  parts: OriginParts,
  last: {
    readonly mirror: Mirror;
    readonly client: PeerClient;
    readonly watched: WatchedEvent & { readonly event: Extract<TaskEvent, { kind: 'outcome' }> };
    readonly before: readonly TaskEvent[];
    readonly outputEnd: number;
  },
  view: View,
): Promise<boolean> {
  const { mirror, client, watched, outputEnd } = last;
  let { before } = last;
  const store = (): boolean => before.length === 0 || parts.journal.apply(mirror.id, before) !== undefined;
  const waited = (): void => {
    if (store()) before = [];
  };
  const source = { client, task: mirror.id, clock: parts.clock, signal: view.signal, progressed: view.progressed };
  const ending = { mirror, event: watched.event, inline: watched.result, outputEnd };
  const ended = await endWithResult(parts, view.intake, ending, { ...source, waited });
  if (!ended) return false;
  if (!parts.journal.apply(mirror.id, [...before, ended.event], ended.store)) return false;
  view.progressed();
  return true;
}

/**
 * What has arrived together comes together. Changes of state wait a little for what follows them; output and the outcome
 * wait for nothing, and a batch ends with the outcome. What came before a break is given before it is thrown.
 */
async function* batches(stream: AsyncIterable<WatchedEvent>, clock: Clock): AsyncGenerator<readonly WatchedEvent[]> {
  const iterator = stream[Symbol.asyncIterator]();
  let coming = next(iterator);
  for (;;) {
    let arrived: Arrival | undefined = await coming;
    const batch: WatchedEvent[] = [];
    const quiet = createQuiet(clock);
    while (arrived?.watched) {
      batch.push(arrived.watched);
      if (arrived.watched.event.kind === 'outcome') {
        quiet.end();
        yield batch;
        return void (await iterator.return?.());
      }
      coming = next(iterator);
      const enough: Promise<undefined> = isUrgent(arrived.watched) ? endOfTurn() : quiet.over;
      arrived = batch.length < BATCH_EVENTS ? await Promise.race([coming, enough]) : undefined;
    }
    quiet.end();
    if (batch.length > 0) yield batch;
    if (arrived?.error !== undefined) throw arrived.error;
    if (arrived) return;
  }
}

/** One step of a stream; neither field at its end. */
interface Arrival {
  readonly watched?: WatchedEvent;
  readonly error?: unknown;
}

async function next(iterator: AsyncIterator<WatchedEvent>): Promise<Arrival> {
  try {
    const result = await iterator.next();
    return result.done ? {} : { watched: result.value };
  } catch (error) {
    return { error };
  }
}

function isUrgent({ event }: WatchedEvent): boolean {
  return event.kind !== 'state' && event.kind !== 'granted';
}

/** The wait of one batch, from its first event. */
function createQuiet(clock: Clock): { readonly over: Promise<undefined>; readonly end: () => void } {
  let end: () => void = () => {};
  const over = new Promise<undefined>((resolve) => {
    const disarm = clock.setTimer(GROUP_MS, () => resolve(undefined));
    end = () => {
      disarm();
      resolve(undefined);
    };
  });
  return { over, end };
}

/** Resolves when nothing that is ready now is left to run. */
function endOfTurn(): Promise<undefined> {
  return new Promise((resolve) => process.nextTick(resolve, undefined));
}

/** The event as it is stored. Output goes on where the last ended; over the cap it is counted and not kept. */
async function keepOutput(
  parts: OriginParts,
  { id, client, end }: { readonly id: string; readonly client: PeerClient; readonly end: number },
  { event, data }: WatchedEvent,
): Promise<TaskEvent> {
  if (event.kind !== 'output') return event;
  if (event.length > LONGEST_OUTPUT_BYTES) throw protocolError(`an event of ${event.length} bytes of output`);
  if (end >= parts.transcriptCapBytes) {
    const { seq, atMs, epoch, stream, length } = event;
    return { seq, atMs, epoch, kind: 'dropped', stream, bytes: length };
  }
  if (event.offset !== end) throw protocolError(`output at ${event.offset} came after ${end} bytes`);
  const bytes = data?.length === event.length ? data : await fetchOutput(id, client, event);
  try {
    await parts.transcripts.write(id, event.offset, bytes);
  } catch (error) {
    // A full disk is this node's own fault, and no news of the peer.
    throw new WritError('DATABASE_ERROR', `the output of the task cannot be kept: ${toWritError(error).message}`, {
      details: { task: id },
      nextSteps: ['make room on the disk of this node; the task goes on meanwhile'],
      cause: error,
    });
  }
  return event;
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
