import { base32nopad } from '@scure/base';

/** Bytes as base 32 (RFC 4648) in lower case, without padding. */
export function toBase32(bytes: Uint8Array): string {
  return base32nopad.encode(Uint8Array.from(bytes)).toLowerCase();
}

/** The bytes of lower-case base 32, or undefined where it is none or is not the one spelling of its bytes. */
export function fromBase32(text: string): Uint8Array | undefined {
  if (!/^[a-z2-7]*$/.test(text)) return undefined;
  try {
    const bytes = base32nopad.decode(text.toUpperCase());
    return toBase32(bytes) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}
