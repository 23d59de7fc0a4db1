import canonicalize from 'canonicalize';

/** Data that JSON can carry. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** The one spelling of a JSON value (RFC 8785): what is signed and digested. */
export function canonicalJson(value: Json): string {
  const text = (canonicalize as unknown as (value: unknown) => string | undefined)(value);
  if (text === undefined) throw new TypeError('value has no JSON form');
  return text;
}

/**
 * The value of a text that is exactly its canonical JSON, UTF-8; undefined for every other. Whatever is signed or hashed as
 * JSON is read by this: no key that stands there twice, no other order and no other spelling says something to one reader
 * that it does not say to the next.
 */
export function readCanonicalJson(bytes: Uint8Array): Json | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const value: Json = JSON.parse(text);
    return isCanonical(value, text) ? value : undefined;
  } catch {
    // It is no text, no JSON, or has no canonical form.
    return undefined;
  }
}

/**
 * JavaScript spells numbers and strings as RFC 8785 does, and keeps the order of keys: where that gives the text again, only the
 * order is left to look at, which takes a tenth of the time. About what looks different the library has the last word.
 */
function isCanonical(value: Json, text: string): boolean {
  if (JSON.stringify(value) === text && isSorted(value)) return true;
  return canonicalJson(value) === text;
}

/** Whether the keys of every object are in the order of their UTF-16 units. */
function isSorted(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isSorted);
  let before: string | undefined;
  for (const [key, member] of Object.entries(value)) {
    if ((before !== undefined && before >= key) || !isSorted(member)) return false;
    before = key;
  }
  return true;
}

/** SHA-256 of bytes or UTF-8 text, lower-case hex, 64 characters. */
export function sha256Hex(data: string | Uint8Array): string {
  // Loaded where it is first needed: the command line mostly starts without it, and it is the largest module of Node.js.
  const { createHash } = process.getBuiltinModule('node:crypto');
  return createHash('sha256').update(data).digest('hex');
}

/** SHA-256 of the canonical JSON of `value`, lower-case hex. */
export function digestJson(value: Json): string {
  return sha256Hex(canonicalJson(value));
}
