import { type StatusObject, status } from '@grpc/grpc-js';
import { isWritError, quote, visible, WritError } from '@writ/core';
import { hasErrorTrailer, statusToError } from '../wire-error.ts';

/** Statuses that the network makes when no handler answered. */
const NETWORK: readonly (status | undefined)[] = [status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.CANCELLED];

/** What a failed call to a peer means here: what the peer said, or UNREACHABLE with the address and why. */
export function failureOf(thrown: unknown, peer: { readonly label: string; readonly address: string }): WritError {
  if (isWritError(thrown)) return thrown;
  if (!isStatus(thrown)) return new WritError('INTERNAL', `call to ${quote(peer.label)} failed`, { cause: thrown });
  if (!hasErrorTrailer(thrown) && NETWORK.includes(thrown.code)) {
    const why = thrown.details ?? '';
    // The channel's own words for a call that was never put on a connection: nothing of it can have arrived.
    const sent = !why.startsWith('No connection established');
    return unreachable(peer, reasonOf(why), { cause: thrown, sent });
  }
  const told = statusToError(thrown, peer.label);
  return new WritError(told.code, `${quote(peer.label)} answers: ${told.message}`, {
    details: told.details,
    cause: thrown,
  });
}

/** A peer answered, but not in its own protocol. */
export function garbageFrom(label: string, error: unknown): WritError {
  const why = isWritError(error, 'BAD_REQUEST') ? error.message : String(error);
  return new WritError('INTERNAL', `${quote(label)} answers with garbage: ${why}`, {
    cause: error,
    details: { peer: label },
    nextSteps: ['check that both nodes run compatible versions: `writ status`'],
  });
}

/** Nobody that is the peer answers at its address; `details.sent` is false where nothing left this node. */
export function unreachable(
  peer: { readonly label: string; readonly address: string },
  why: string,
  { cause, sent = true }: { readonly cause?: unknown; readonly sent?: boolean } = {},
): WritError {
  return new WritError('UNREACHABLE', `${quote(peer.label)} cannot be reached at ${quote(peer.address)}: ${why}`, {
    details: { peer: peer.label, address: peer.address, ...(sent ? {} : { sent }) },
    nextSteps: ['check that the node runs there (`writ status`) and that the address in `writ.toml` is right'],
    ...(cause === undefined ? {} : { cause }),
  });
}

/** The part of a grpc-js explanation that a person can use. */
function reasonOf(details: string): string {
  const cause = /Last error: (?:Error: )?(.*?)(?:\. Resolution note: .*)?$/s.exec(details)?.[1] ?? details;
  if (cause.includes('ECONNREFUSED')) return 'nothing listens there';
  return visible(cause.slice(0, 300)) || 'the connection broke';
}

function isStatus(thrown: unknown): thrown is Partial<StatusObject> {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'number';
}
