import { sha256Hex, WritError } from '@writ/core';
import type { NodeIdentity, WritClaims } from './types.ts';
import { claimsFault } from './writ-claims.ts';
import { formatWrit, splitExtension } from './writ-format.ts';

/**
 * Signs one hop's writ and gives its compact form. Sets inside the grant are put into their one order.
 * Throws WRIT_INVALID where the claims are not well-formed or another node's.
 */
export function issueWrit(identity: NodeIdentity, claims: WritClaims): string {
  const ordered = withOrderedSets(claims);
  const fault = claimsFault(ordered);
  if (fault !== undefined) throw new WritError('WRIT_INVALID', `cannot sign this writ: ${fault.field}: ${fault.why}`);
  if (ordered.iss !== identity.public.id) {
    throw new WritError('WRIT_INVALID', `cannot sign a writ of ${ordered.iss}: this node is ${identity.public.id}`);
  }
  return formatWrit(
    'writ1',
    { ...certificatesOf(identity), claims: { ...ordered, grant: { ...ordered.grant } } },
    (data) => identity.sign(data),
  );
}

/** What leads from a node's identity to what it signs. */
export function certificatesOf(identity: NodeIdentity): {
  readonly identityDer: Uint8Array;
  readonly signingDer: Uint8Array;
} {
  return { identityDer: derOf(identity.public.certificatePem), signingDer: identity.signingCertificate() };
}

/** The bytes of this node's own certificate, which it has made itself: nothing of it needs to be parsed. */
function derOf(pem: string): Uint8Array {
  return Buffer.from(pem.replace(/-----[A-Z ]+-----/g, ''), 'base64');
}

/** What the next hop's `prev` says about this one: SHA-256 of the compact form, hex, whatever it was extended by since. */
export function writDigest(compact: string): string {
  return sha256Hex(splitExtension(compact).writ);
}

function withOrderedSets(claims: WritClaims): WritClaims {
  const { profile, workspace, prev, ...always } = claims;
  const { closure, workspaces, network } = claims.grant;
  return {
    ...always,
    // An absent claim is left out, never written as undefined.
    ...(profile === undefined ? {} : { profile }),
    ...(workspace === undefined ? {} : { workspace }),
    ...(prev === undefined ? {} : { prev }),
    grant: {
      ...claims.grant,
      closure: asSet(closure),
      workspaces: asSet(workspaces),
      network: typeof network === 'string' ? network : asSet(network),
    },
  };
}

function asSet(list: readonly string[]): readonly string[] {
  return [...new Set(list)].sort();
}
