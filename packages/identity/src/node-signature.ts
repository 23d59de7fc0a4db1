import { verify } from 'node:crypto';
import { isWritError } from '@writ/core';
import { type IdentityCertificate, readIdentityCertificate } from './identity-certificate.ts';
import { proveLeaf, readClaimedLeaf } from './leaf-certificate.ts';
import type { Pin } from './types.ts';

/** Whose signature it is, or what about it does not hold. */
export type NodeSignatureCheck =
  | { readonly verified: true; readonly id: string; readonly pin: Pin }
  | {
      readonly verified: false;
      readonly field: 'identity' | 'signing' | 'signature';
      /** Lower case, no full stop, safe to show. */
      readonly message: string;
    };

/**
 * Which node signed `data`: from the identity certificate to the signing key, from the signing key to the bytes. Proves
 * who a node is, not that it is one to trust.
 */
export function verifyNodeSignature(check: {
  readonly data: Uint8Array;
  readonly signature: Uint8Array;
  /** Certificate of the signing key, DER. */
  readonly signingDer: Uint8Array;
  /** Identity certificate, DER. */
  readonly identityDer: Uint8Array;
  /** When the certificates have to be valid (± 60 s), milliseconds since the epoch. */
  readonly atMs: number;
}): NodeSignatureCheck {
  let identity: IdentityCertificate;
  try {
    identity = readIdentityCertificate(check.identityDer);
  } catch (error) {
    return { verified: false, field: 'identity', message: isWritError(error) ? error.message : 'not readable' };
  }
  const leaf = readClaimedLeaf(check.signingDer, 'signing');
  if ('reason' in leaf) return { verified: false, field: 'signing', message: leaf.message };
  const refusal = proveLeaf(leaf, identity.certificate, check.atMs);
  if (refusal !== undefined) return { verified: false, field: 'signing', message: refusal.message };
  if (!verify(null, check.data, leaf.certificate.publicKey, check.signature)) {
    return { verified: false, field: 'signature', message: 'it does not fit' };
  }
  return { verified: true, id: identity.id, pin: identity.pin };
}
