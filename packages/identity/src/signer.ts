import { createHash } from 'node:crypto';
import { isWritError } from '@writ/core';
import { type IdentityCertificate, readIdentityCertificate } from './identity-certificate.ts';
import { proveIssued, readClaimedLeaf, timeRefusal, validityOf } from './leaf-certificate.ts';
import type { Signer, SignerCache } from './types.ts';

/** Most signers that one cache remembers; the one that was proved first goes first. */
const MOST_SIGNERS = 256;

/** One that has proved nobody yet. */
export function createSignerCache(): SignerCache {
  return { proved: new Map() };
}

export interface SignerRefusal {
  readonly field: 'identity' | 'signing';
  /** Lower case, no full stop, safe to show. */
  readonly message: string;
}

/** A pair of certificates, DER, and when they have to be valid (± 60 s), milliseconds since the epoch. */
export interface SignerCheck {
  readonly signingDer: Uint8Array;
  readonly identityDer: Uint8Array;
  readonly atMs: number;
  /** Absent: everything is proved anew. */
  readonly signers?: SignerCache;
}

/** Which node a signing key belongs to: from the identity certificate to the certificate of the key. */
export function proveSigner(check: SignerCheck): Signer | SignerRefusal {
  const { signers, atMs } = check;
  const name = signers && `${digest(check.identityDer)} ${digest(check.signingDer)}`;
  const known = name === undefined ? undefined : signers?.proved.get(name);
  const signer = known ?? proveAnew(check);
  if ('field' in signer) return signer;
  const late = timeRefusal(signer.pin.id, signer, atMs);
  if (late !== undefined) return { field: 'signing', message: late.message };
  if (signers && name !== undefined && known === undefined) remember(signers.proved, name, signer);
  return signer;
}

function proveAnew({ signingDer, identityDer }: SignerCheck): Signer | SignerRefusal {
  let identity: IdentityCertificate;
  try {
    identity = readIdentityCertificate(identityDer);
  } catch (error) {
    return { field: 'identity', message: isWritError(error) ? error.message : 'not readable' };
  }
  const leaf = readClaimedLeaf(signingDer, 'signing');
  if ('reason' in leaf) return { field: 'signing', message: leaf.message };
  const refusal = proveIssued(leaf, identity.certificate);
  if (refusal !== undefined) return { field: 'signing', message: refusal.message };
  const [own, issuer] = [validityOf(leaf.certificate), validityOf(identity.certificate)];
  return {
    pin: identity.pin,
    key: leaf.certificate.publicKey,
    fromMs: Math.max(own.fromMs, issuer.fromMs),
    toMs: Math.min(own.toMs, issuer.toMs),
  };
}

function remember(proved: Map<string, Signer>, name: string, signer: Signer): void {
  const [first] = proved.keys();
  if (proved.size >= MOST_SIGNERS && first !== undefined) proved.delete(first);
  proved.set(name, signer);
}

function digest(der: Uint8Array): string {
  return createHash('sha256').update(der).digest('base64');
}
