import { sha256Hex } from './json.ts';

/** Every node id starts with this. */
const PREFIX = 'wn-';
/** Characters of the fingerprint: 160 bits at five a character, so that no bit is left over. */
const FINGERPRINT_CHARS = 32;
const NODE_ID = /^[Ww][Nn]-[A-Za-z2-7]{36}$/;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/**
 * A node id as it is compared: ASCII letters lower-cased, nothing else. Full case folding would let a look-alike such
 * as the Kelvin sign become a letter.
 */
export function foldId(id: string): string {
  return /[A-Z]/.test(id) ? id.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) : id;
}

/** The id with this fingerprint, 32 characters of lower-case base 32: `wn-`, the fingerprint, a checksum. */
export function nodeIdFromBase32(fingerprint: string): string {
  return `${PREFIX}${fingerprint}${checksumOf(fingerprint)}`;
}

/** The id in its one stored form (lower case), or undefined where `text` is none or its checksum is wrong. */
export function parseNodeId(text: string): string | undefined {
  // ASCII only, before any lower-casing: a Kelvin sign would become a `k`.
  if (!NODE_ID.test(text)) return undefined;
  const id = foldId(text);
  return nodeIdFromBase32(id.slice(PREFIX.length, PREFIX.length + FINGERPRINT_CHARS)) === id ? id : undefined;
}

/** Four characters, the first 20 bits of a hash: a mistyped id passes once in a million. */
function checksumOf(fingerprint: string): string {
  const bits = Number.parseInt(sha256Hex(`${PREFIX}${fingerprint}`).slice(0, 5), 16);
  return [15, 10, 5, 0].map((shift) => ALPHABET.charAt((bits >> shift) & 31)).join('');
}
