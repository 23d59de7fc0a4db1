import { toWritError } from '@writ/core';
import { type SignerCache, type VerifiedChain, verifyChain } from '@writ/identity';
import { refuseField } from '../convert/fields.ts';
import type { HandlerDeps } from './handler-deps.ts';

/**
 * The chain of writs that a peer sent, checked whole; what does not hold is noted for the person of this node. Throws
 * BAD_REQUEST for none, and what `verifyChain` throws.
 */
export function verifyCallersChain(
  { identity, pins, engine, clock, noteRefusal }: HandlerDeps,
  from: string,
  writs: readonly string[],
  signers: SignerCache,
): VerifiedChain {
  if (writs.length === 0) refuseField('writs', 'is empty');
  const { maxChain } = engine.snapshot().config.node;
  try {
    // INVARIANT: 3 the chain is whole, its last issuer is the TLS peer, and no caller declares its own origin or session.
    return verifyChain(
      writs,
      { self: identity.public.id, tlsPeer: from, nowMs: clock.nowMs(), signers, maxChain },
      pins,
    );
  } catch (error) {
    noteRefusal(from, toWritError(error).code);
    throw error;
  }
}
