import { readIdentityCertificate } from './identity-certificate.ts';
import { type LeafRefusal, proveLeaf, readClaimedLeaf } from './leaf-certificate.ts';
import type { PinStore } from './types.ts';

/** Where pinned identity certificates are looked up by id; a PinStore is one. */
export type PinLookup = Pick<PinStore, 'get'>;

/** Whom a TLS certificate proves, or why it proves nobody. */
export type PeerCertificateCheck =
  | { readonly verified: true; readonly id: string }
  | ({ readonly verified: false } & LeafRefusal);

/**
 * Who presented this TLS certificate. It names exactly one node, is signed by the pinned identity certificate of exactly
 * that node, is for TLS, and is within its validity (±60 s). That a trusted authority signed it is not enough: each
 * peer is an authority, and only for itself.
 */
export function verifyPeerCertificate(check: {
  /** The leaf as TLS received it, DER. */
  readonly leafDer: Uint8Array;
  readonly pins: PinLookup;
  readonly nowMs: number;
}): PeerCertificateCheck {
  const leaf = readClaimedLeaf(check.leafDer, 'tls');
  if ('reason' in leaf) return { verified: false, ...leaf };
  const pin = check.pins.get(leaf.id);
  if (pin === undefined) {
    return { verified: false, reason: 'unknown-peer', message: `${leaf.id} is not a peer of this node` };
  }
  const { certificate } = readIdentityCertificate(pin.certificatePem);
  const refusal = proveLeaf(leaf, certificate, check.nowMs);
  return refusal === undefined ? { verified: true, id: leaf.id } : { verified: false, ...refusal };
}
