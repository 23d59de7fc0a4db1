import type { ShippedBundle } from '@writ/delegation';
import type * as wire from '@writ/wire';
import { readCount, readDigest, readName, readObjectId, refuseField } from './fields.ts';

/** Longest bundle that can be announced, bytes; what is really taken is the executor's matter, and less. */
export const MAX_INPUT_BYTES = 1024 * 1024 * 1024;
/** Most commits that a peer tells of a workspace. */
const MAX_COMMITS = 10_000;
/** Bytes of one message of an upload, as this node sends it. */
const PIECE_BYTES = 256 * 1024;
/** Messages of an upload beyond one for each of these many bytes. */
const SPARE_PIECES = 16;
const SMALLEST_PIECE_BYTES = 4096;

/** The messages of an upload: what comes, then its bytes in pieces of one size. */
export async function* inputToWire(
  input: ShippedBundle,
  data: AsyncIterable<Uint8Array>,
): AsyncGenerator<wire.Init<wire.UploadInputRequest>> {
  yield { head: { ...input } };
  for await (const piece of inPieces(data)) yield { data: piece };
}

async function* inPieces(data: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let length = 0;
  for await (const part of data) {
    for (let at = 0; at < part.length; ) {
      const taken = part.subarray(at, at + PIECE_BYTES - length);
      held.push(taken);
      length += taken.length;
      at += taken.length;
      if (length < PIECE_BYTES) continue;
      yield Buffer.concat(held);
      held = [];
      length = 0;
    }
  }
  if (length > 0) yield Buffer.concat(held);
}

/** What a peer announces, checked. Throws BAD_REQUEST. */
export function inputHeadFromWire(message: wire.UploadInputRequest): ShippedBundle {
  const { head } = message;
  if (head === undefined) return refuseField('head', 'is missing');
  const bytes = readCount('head.bytes', head.bytes, MAX_INPUT_BYTES);
  return {
    workspace: readName('head.workspace', head.workspace) ?? refuseField('head.workspace', 'is missing'),
    sha256: readDigest('head.sha256', head.sha256),
    bytes: bytes === 0 ? refuseField('head.bytes', 'is missing') : bytes,
  };
}

/** The bytes that follow; exactly as many as were announced, in pieces that are worth a message. Throws BAD_REQUEST. */
export async function* inputDataFromWire(
  messages: AsyncIterable<wire.UploadInputRequest>,
  announced: number,
): AsyncGenerator<Uint8Array> {
  const maxPieces = SPARE_PIECES + Math.ceil(announced / SMALLEST_PIECE_BYTES);
  let bytes = 0;
  let pieces = 0;
  for await (const { data } of messages) {
    if (data === undefined) return refuseField('data', 'is missing');
    bytes += data.length;
    pieces += 1;
    if (bytes > announced) return refuseField('data', `is longer than the announced ${announced} bytes`);
    if (pieces > maxPieces) return refuseField('data', `comes in more than ${maxPieces} pieces`);
    yield data;
  }
  if (bytes < announced) refuseField('data', `ends after ${bytes} of ${announced} bytes`);
}

/** Commits of a workspace for the wire; the newest where there are many. */
export function commitsToWire(commits: readonly string[]): wire.Init<wire.DescribeWorkspaceResponse> {
  return { commits: commits.slice(0, MAX_COMMITS) };
}

/** Commits that a peer tells of a workspace. Throws BAD_REQUEST. */
export function commitsFromWire({ commits }: wire.DescribeWorkspaceResponse): readonly string[] {
  if (commits.length > MAX_COMMITS) return refuseField('commits', `has more than ${MAX_COMMITS} entries`);
  return commits.map((commit) => readObjectId('commits', commit));
}
