import { createHash } from 'node:crypto';
import { toBase32 } from './base32.ts';

/** 160 bits of the digest, bytes. */
const ID_BYTES = 20;

/** The id of the approver whose public key this is (SPKI, DER): `ap-` and 160 bits of its SHA-256 in base 32. */
export function approverIdOf(spki: Uint8Array): string {
  const digest = createHash('sha256').update('writ approver id 1\0').update(spki).digest();
  return `ap-${toBase32(digest.subarray(0, ID_BYTES))}`;
}
