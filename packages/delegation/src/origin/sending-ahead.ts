import { WritError } from '@writ/core';
import type { ContentStore } from '@writ/evidence';
import type { PeerClient } from '../peer-port.ts';
import type { ShippedBundle } from '../types.ts';
import type { OriginParts } from './parts.ts';

const PIECE_BYTES = 64 * 1024;

/** Sends a bundle that this node keeps to where a task is to run. Throws what the client throws, NOT_FOUND. */
export async function sendAhead(
  { evidence }: OriginParts,
  client: PeerClient,
  bundle: ShippedBundle,
  signal: AbortSignal,
): Promise<void> {
  await client.upload(bundle, pieces(evidence.content, bundle.sha256), signal);
}

async function* pieces(content: ContentStore, sha256: string): AsyncGenerator<Uint8Array> {
  for (let at = 0; ; ) {
    const piece = await content.read(sha256, at, PIECE_BYTES);
    if (piece === undefined) throw new WritError('NOT_FOUND', 'what was to be sent along is not kept here any more');
    if (piece.length === 0) return;
    yield piece;
    at += piece.length;
  }
}
