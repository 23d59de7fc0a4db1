import { toWritError, WritError } from '@writ/core';
import type { TaskEvent } from '@writ/task-store';
import type { PeerClient } from '../peer-port.ts';
import type { WatchedEvent } from '../types.ts';
import { readFully } from '../watch-events.ts';
import { MOST_TOLD } from './event-bound.ts';
import type { OriginParts } from './parts.ts';
import { protocolError } from './protocol-error.ts';

/** Longest piece of output that one event of a peer may claim, bytes. */
const LONGEST_OUTPUT_BYTES = 4 * 1024 * 1024;

/** What an event of output counts as at least, bytes: it has a row of its own. A runner of this version makes half as many pieces. */
const LEAST_PIECE_BYTES = 32;

/** How far the output of a task has come. */
export interface OutputEnd {
  readonly bytes: number;
  /** Place of the last event that was looked at. */
  readonly seq: number;
}

/** True where no more output is kept here: so many bytes came, or in so many pieces. */
export function isFull(
  { transcriptCapBytes }: Pick<OriginParts, 'transcriptCapBytes'>,
  { bytes, seq }: OutputEnd,
): boolean {
  return bytes >= transcriptCapBytes || seq > MOST_TOLD + transcriptCapBytes / LEAST_PIECE_BYTES;
}

/** The event as it is stored. Output goes on where the last ended; over the cap it is counted and not kept. */
export async function keepOutput(
  parts: OriginParts,
  { id, client, end }: { readonly id: string; readonly client: PeerClient; readonly end: number },
  { event, data }: WatchedEvent,
): Promise<TaskEvent> {
  if (event.kind !== 'output') return event;
  if (event.length > LONGEST_OUTPUT_BYTES) throw protocolError(`an event of ${event.length} bytes of output`);
  if (isFull(parts, { bytes: end, seq: event.seq })) {
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
