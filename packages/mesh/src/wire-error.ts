import { Metadata, type StatusObject, status } from '@grpc/grpc-js';
import { visible, WRIT_CODES, type WritCode, WritError } from '@writ/core';
import { isTold } from '@writ/delegation';
import { withItsSteps } from './convert/fields.ts';
import type { Refusal } from './refusal.ts';
import { CODE_OF_STATUS, STATUS_OF_CODE } from './status-table.ts';

/** Trailer that carries a WritError as JSON, in UTF-8. */
const TRAILER = 'writ-error-bin';
const MAX_MESSAGE_CHARS = 1000;
const MAX_STEPS = 8;
const MAX_STEP_CHARS = 300;
/** Longest trailer that is looked at, bytes. */
const MAX_TRAILER_BYTES = 16_384;

/** What the library says of its own limits on the size of a message: the same call never succeeds. */
const TOO_LARGE = /larger than/;

/** A status with which a call ends. */
export type EndStatus = Pick<StatusObject, 'code' | 'details' | 'metadata'>;

/**
 * A refusal as a peer may see it: a hidden code becomes `INTERNAL`, a message that is not for peers stays here, and
 * everything is bounded.
 */
export function refusalToStatus(error: Refusal): EndStatus {
  const entry = STATUS_OF_CODE[error.code];
  const code: WritCode = entry.hidden ? 'INTERNAL' : error.code;
  const told = isTold(error.code);
  const message = told ? cut(error.message, MAX_MESSAGE_CHARS) : 'this node failed to answer; its log says why';
  const nextSteps = !told ? [] : error.nextSteps.slice(0, MAX_STEPS).map((step) => cut(step, MAX_STEP_CHARS));
  const metadata = new Metadata();
  const { reason } = error;
  metadata.set(TRAILER, Buffer.from(JSON.stringify({ code, message, nextSteps, reason })));
  return { code: reason === 'no-method' ? status.UNIMPLEMENTED : entry.status, details: asciiOnly(message), metadata };
}

/** What the trailer of a peer says, its steps as words of its message, or, without one that can be read, what the bare status means; `details.reason` is a `RefusalReason`. */
export function statusToError(end: Partial<StatusObject>, peer: string): WritError {
  const told = readTrailer(end.metadata);
  const hasNoMethod = told === undefined ? end.code === status.UNIMPLEMENTED : told.reason === 'no-method';
  const details = { peer, ...(hasNoMethod ? { reason: 'no-method' } : {}) };
  if (told !== undefined) return new WritError(told.code, told.message, { details });
  const tooLarge = end.code === status.RESOURCE_EXHAUSTED && TOO_LARGE.test(end.details ?? '');
  const code = tooLarge ? 'BAD_REQUEST' : (CODE_OF_STATUS[end.code ?? status.UNKNOWN] ?? 'INTERNAL');
  return new WritError(code, clean(end.details ?? 'no reason given', MAX_MESSAGE_CHARS), { details });
}

/** True for a status of this node that `refusalToStatus` made; nothing else here writes the trailer. */
export function isRefusalStatus({ metadata }: { readonly metadata?: Metadata | null | undefined }): boolean {
  return (metadata?.get(TRAILER).length ?? 0) > 0;
}

/** True where a handler of the peer ended the call, and not the library or the network. */
export function hasErrorTrailer(end: Partial<StatusObject>): boolean {
  return readTrailer(end.metadata) !== undefined;
}

function readTrailer(metadata: Metadata | undefined) {
  const raw = metadata?.get(TRAILER)[0];
  if (!Buffer.isBuffer(raw) || raw.length > MAX_TRAILER_BYTES) return undefined;
  try {
    const json: unknown = JSON.parse(raw.toString('utf8'));
    if (typeof json !== 'object' || json === null) return undefined;
    const { code: claimed, message, nextSteps, reason } = json as Record<string, unknown>;
    const code = WRIT_CODES.find((known) => known === claimed);
    if (code === undefined || typeof message !== 'string') return undefined;
    const steps = (Array.isArray(nextSteps) ? nextSteps : []).filter((step) => typeof step === 'string');
    return {
      // A peer has no business with codes that only this machine can mean.
      code: STATUS_OF_CODE[code].hidden ? ('INTERNAL' as const) : code,
      message: withItsSteps(clean(message, MAX_MESSAGE_CHARS), steps),
      reason,
    };
  } catch {
    return undefined;
  }
}

function cut(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit)}…` : text;
}

/** Text from another node, safe for a terminal and a log. */
function clean(text: string, limit: number): string {
  return visible(cut(text, limit));
}

/** gRPC percent-encodes what is not ASCII, and throws for half a surrogate pair. */
function asciiOnly(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?');
}
