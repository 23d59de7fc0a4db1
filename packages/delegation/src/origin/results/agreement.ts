import { createHash } from 'node:crypto';
import { canonicalJson, type Json } from '@writ/core';
import type { Result } from '@writ/evidence';
import { readWritClaims } from '@writ/identity';
import type { Mirror, TaskOutcome } from '@writ/task-store';
import { ownNonce } from '../../own-nonce.ts';
import { isFull, type OutputEnd } from '../keeping-output.ts';
import type { OriginParts } from '../parts.ts';
import { invalid, ownFault } from './faults.ts';

const PIECE_BYTES = 1024 * 1024;

/** The nonce that the result of a task has to answer. */
export function expectedNonce({ database, mirrors }: OriginParts, mirror: Pick<Mirror, 'id' | 'peer'>): string {
  if (mirror.peer === 'self') return ownNonce(mirror.id);
  const last = database.withReadTx((tx) => mirrors.writs(tx, mirror.id)).at(-1);
  const nonce = last === undefined ? undefined : readWritClaims(last)?.nonce;
  if (nonce === undefined) throw invalid('nonce', 'this node has no writ that it could answer');
  return nonce;
}

/** A verified envelope answers this very request, as this very executor. Throws EVIDENCE_INVALID. */
export function checkRequest({ evidence }: OriginParts, mirror: Mirror, result: Result): void {
  const self = evidence.identity.public.id;
  const isOwn = mirror.peer === 'self';
  const node = isOwn ? self : mirror.peer.toLowerCase();
  if (result.node !== node) throw invalid('identity', `it is signed by ${result.node}, not by ${node}`);
  // A pinned node could leave the chain out, and nobody's writ would have been looked at.
  if (isOwn ? result.chain.length > 0 : result.chain.at(-1) !== self) {
    throw invalid('chain', 'it is not this node that asked for it');
  }
  const same =
    result.origin === (mirror.origin ?? self) && result.session === mirror.session && result.agent === mirror.agent;
  if (!same) throw invalid('chain', 'it is of another origin, session or agent');
}

/**
 * The signed outcome is the one that the executor told. The messages are not compared: what is for its own owner is left
 * out of what it tells. Throws EVIDENCE_INVALID.
 */
export function checkOutcome(result: Result, told: TaskOutcome): void {
  const { outcome, output, times } = result;
  const differs =
    outcome.state !== told.state ||
    outcome.code !== (told.code ?? null) ||
    result.truncated !== told.truncated ||
    output.stdoutBytes !== told.stdoutBytes ||
    output.stderrBytes !== told.stderrBytes ||
    times.endedAtMs !== told.endedAtMs;
  if (differs) throw invalid('outcome', 'another outcome was signed than the one that was told');
  const ending = (told.ending ?? null) as unknown as Json;
  if (result.exit?.kind !== told.ending?.kind) throw invalid('outcome', 'another end of its process was signed');
  const exact = result.exit?.kind === 'exit' || result.exit?.kind === 'signal';
  if (exact && canonicalJson(result.exit as unknown as Json) !== canonicalJson(ending)) {
    throw invalid('outcome', 'another end of its process was signed');
  }
}

/**
 * The signed transcript is the output that came, where all of it was kept here. Throws EVIDENCE_INVALID, DATABASE_ERROR.
 */
export async function checkTranscript(
  parts: OriginParts,
  mirror: Mirror,
  result: Result,
  output: OutputEnd,
): Promise<void> {
  const { transcript } = result;
  const end = output.bytes;
  if (transcript === null) {
    if (end > 0 && result.outcome.state === 'completed' && !result.truncated) {
      throw invalid('transcript', 'there was output, and none is signed');
    }
    return;
  }
  if (isFull(parts, output) && transcript.bytes > end) return;
  if (transcript.bytes !== end) throw invalid('transcript', `${transcript.bytes} bytes are signed, and ${end} came`);
  const own = await digestOfCopy(parts, mirror.id, end);
  if (own !== undefined && own !== transcript.sha256) throw invalid('transcript', 'it is not the output that came');
}

/** Digest of this node's own copy; undefined where it does not have all of it. */
export async function digestOfCopy(
  { transcripts }: OriginParts,
  task: string,
  bytes: number,
): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    for (let at = 0; at < bytes; ) {
      const piece = await transcripts.read(task, at, Math.min(PIECE_BYTES, bytes - at));
      if (piece.length === 0) return undefined;
      hash.update(piece);
      at += piece.length;
    }
  } catch (error) {
    throw ownFault(error);
  }
  return hash.digest('hex');
}
