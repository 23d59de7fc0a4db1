import { createHash, type X509Certificate } from 'node:crypto';
import { nodeIdFromBase32 } from '@writ/core';
import { fromBase32, toBase32 } from './base32.ts';

/** Every node id starts with this. */
const PREFIX = 'wn-';
/** 160 bits of the fingerprint, bytes. */
const FINGERPRINT_BYTES = 20;
/** Characters of the fingerprint: 160 bits at five a character, so that no bit is left over. */
const FINGERPRINT_CHARS = 32;

/**
 * The id of the node whose identity key this is: `wn-`, 160 bits of the SHA-256 of the key's SubjectPublicKeyInfo, and
 * a checksum, in lower-case base 32; 39 characters.
 *
 * @param key the key as SPKI in DER, or a certificate over it
 */
export function nodeIdOf(key: Uint8Array | X509Certificate): string {
  const spki = key instanceof Uint8Array ? key : key.publicKey.export({ type: 'spki', format: 'der' });
  return nodeIdFromFingerprint(createHash('sha256').update(spki).digest().subarray(0, FINGERPRINT_BYTES));
}

/** The 20 bytes inside a valid id. */
export function fingerprintOf(id: string): Uint8Array {
  const fingerprint = fromBase32(id.slice(PREFIX.length, PREFIX.length + FINGERPRINT_CHARS));
  if (fingerprint === undefined) throw new TypeError('not a node id');
  return fingerprint;
}

/** The reverse of `fingerprintOf`. */
export function nodeIdFromFingerprint(fingerprint: Uint8Array): string {
  return nodeIdFromBase32(toBase32(fingerprint));
}
