import type { SignedEnvelope } from '@writ/delegation';
import type * as wire from '@writ/wire';
import { readBytes, readCount, readDigest, readId, refuseField } from './fields.ts';

/** Longest envelope that goes into one answer, bytes; a longer one is fetched by its digest. */
const MAX_ANSWER_BYTES = 1024 * 1024;
/** Longest envelope that is taken from a peer at all, bytes. */
const MAX_ENVELOPE_BYTES = 32 * 1024 * 1024;
/** Most receipts of one call, and the longest one, bytes. */
const MAX_RECEIPTS = 64;
const MAX_RECEIPT_BYTES = 64 * 1024;
/** Receipts that this node puts into one call, bytes: less than a peer takes in one message. */
const BATCH_BYTES = 512 * 1024;

/** The sender's signed receipt for the result of one task; not checked. */
export interface SignedReceipt {
  readonly task: string;
  readonly envelope: Uint8Array;
}

/** A result as a peer announces it; the envelope where it is in the answer. */
export type AnnouncedResult = Pick<SignedEnvelope, 'sha256'> & {
  readonly bytes: number;
  readonly envelope?: Uint8Array;
};

/** A signed result for the wire, or what it is called where it is long. */
export function resultToWire({ sha256, envelope }: SignedEnvelope): wire.Init<wire.GetResultResponse> {
  const bytes = envelope.length;
  return bytes <= MAX_ANSWER_BYTES ? { sha256, bytes, envelope } : { sha256, bytes };
}

/** What a peer says of a result. Throws BAD_REQUEST. */
export function resultFromWire(message: wire.GetResultResponse): AnnouncedResult {
  const sha256 = readDigest('sha256', message.sha256);
  const bytes = readCount('bytes', message.bytes, MAX_ENVELOPE_BYTES);
  if (bytes === 0) return refuseField('bytes', 'is missing');
  const { envelope } = message;
  if (envelope.length === 0) return { sha256, bytes };
  if (envelope.length !== bytes) return refuseField('envelope', `has ${envelope.length} of ${bytes} bytes`);
  return { sha256, bytes, envelope };
}

/** Receipts as a peer sent them. Throws BAD_REQUEST. */
export function receiptsFromWire({ receipts }: wire.AckResultRequest): readonly SignedReceipt[] {
  if (receipts.length === 0) return refuseField('receipts', 'is empty');
  if (receipts.length > MAX_RECEIPTS) return refuseField('receipts', `has more than ${MAX_RECEIPTS} entries`);
  return receipts.map(({ task, envelope }) => ({
    task: readId('receipts.task', task),
    envelope: readBytes('receipts.envelope', envelope, MAX_RECEIPT_BYTES),
  }));
}

/** Receipts in as many calls as they need. */
export function receiptBatches(receipts: readonly SignedReceipt[]): readonly (readonly SignedReceipt[])[] {
  const batches: SignedReceipt[][] = [];
  let bytes = 0;
  for (const receipt of receipts) {
    const last = batches.at(-1);
    bytes += receipt.envelope.length;
    if (last !== undefined && last.length < MAX_RECEIPTS && bytes <= BATCH_BYTES) {
      last.push(receipt);
    } else {
      batches.push([receipt]);
      bytes = receipt.envelope.length;
    }
  }
  return batches;
}

/** The tasks whose receipt a peer says it has, of those that it was sent. Throws BAD_REQUEST. */
export function acknowledgedFromWire(
  { tasks }: wire.AckResultResponse,
  sent: readonly SignedReceipt[],
): readonly string[] {
  const named = new Set(tasks);
  if (tasks.length > sent.length) return refuseField('tasks', `has more than the ${sent.length} that were sent`);
  return sent.filter(({ task }) => named.has(task)).map(({ task }) => task);
}
