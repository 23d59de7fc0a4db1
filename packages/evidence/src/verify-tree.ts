import { nextTurn, quote, WritError } from '@writ/core';
import { writDigest } from '@writ/identity';
import { type Trust, type Verified, verifyEnvelope } from './verify.ts';

/** Most results in one tree, and how deep it may be. */
const MOST_RESULTS = 1000;
const DEEPEST = 64;

/** A verified result with those of the tasks that were passed on. */
export interface VerifiedTree extends Verified {
  readonly children: readonly VerifiedTree[];
}

/**
 * Checks a result and all results nested in it, each as `verifyEnvelope` does. A child is the envelope that its parent
 * names, signed by the node that the parent passed the work on to, under a chain that goes on where the parent's ends.
 * Throws EVIDENCE_INVALID.
 */
export async function verifyTree(request: {
  readonly envelope: Uint8Array;
  /** What `verifyEnvelope` said of it, where that was asked before. */
  readonly verified?: Verified;
  readonly expected: Parameters<typeof verifyEnvelope>[0]['expected'];
  readonly trust: Trust;
  readonly nowMs: number;
  /** The envelope with this SHA-256, or undefined where it was not received. */
  readonly find: (sha256: string) => Uint8Array | undefined;
}): Promise<VerifiedTree> {
  let left = MOST_RESULTS;
  const descend = async (verified: Verified, depth: number): Promise<VerifiedTree> => {
    const children: VerifiedTree[] = [];
    for (const child of verified.result.children) {
      // Each may be as large as an envelope is allowed to be.
      await nextTurn();
      const name = `result of task ${quote(child.task)} of ${child.node}`;
      if (--left < 0 || depth >= DEEPEST) throw refuse(name, 'there are too many results in it');
      const envelope = request.find(child.envelope);
      if (envelope === undefined) throw refuse(name, 'it was not received');
      const below = verifyEnvelope({ ...request, envelope, expected: { task: child.task, nonce: child.nonce } });
      if (below.sha256 !== child.envelope)
        throw refuse(name, 'it is another envelope than the one that was signed for');
      if (below.result.node !== child.node) throw refuse(name, `it is of ${below.result.node}`);
      const { chain, writs, node } = verified.result;
      const goesOn =
        below.result.chain.join() === [...chain, node].join() &&
        // Either may have been extended since: that is no other chain.
        below.result.writs.slice(0, -1).map(writDigest).join() === writs.map(writDigest).join();
      if (!goesOn) throw refuse(name, 'its chain does not go on where the one above ends');
      children.push(await descend(below, depth + 1));
    }
    return { ...verified, children };
  };
  return descend(request.verified ?? verifyEnvelope(request), 0);
}

function refuse(name: string, why: string): WritError {
  return new WritError('EVIDENCE_INVALID', `${name}: ${why}`, { details: { check: 'children' } });
}
