import { createCipheriv, createDecipheriv, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import type { Random } from '@writ/core';

/** Cost of one guess: `2 ** logN` rounds over `128 * r * 2 ** logN` bytes, `p` times. */
export interface PassphraseCost {
  readonly logN: number;
  readonly r: 8;
  readonly p: number;
}

/** 128 MiB and about half a second a guess. */
export const USUAL_COST: PassphraseCost = { logN: 17, r: 8, p: 1 };

/** A secret under a passphrase; bytes are base64url. */
export interface PassphraseBox {
  readonly kdf: PassphraseCost & { readonly name: 'scrypt'; readonly salt: string };
  readonly aead: 'aes-256-gcm';
  readonly nonce: string;
  /** Ciphertext, then the tag. */
  readonly box: string;
}

const KEY_BYTES = 32;
const SALT_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Seals `secret`; `bound` is not hidden, but opening fails where it differs. */
export async function sealWithPassphrase(options: {
  readonly secret: Uint8Array;
  readonly passphrase: string;
  readonly bound: string;
  readonly random: Random;
  readonly cost: PassphraseCost;
}): Promise<PassphraseBox> {
  const { secret, passphrase, bound, random, cost } = options;
  const kdf = { name: 'scrypt', ...cost, salt: encode(random.bytes(SALT_BYTES)) } as const;
  const nonce = random.bytes(NONCE_BYTES);
  const key = await deriveKey(passphrase, kdf);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(bound));
  const box = Buffer.concat([cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
  key.fill(0);
  return { kdf, aead: 'aes-256-gcm', nonce: encode(nonce), box: encode(box) };
}

/** The secret, or undefined where passphrase, box or `bound` is another than it was sealed with. */
export async function openWithPassphrase(
  { kdf, nonce, box }: PassphraseBox,
  passphrase: string,
  bound: string,
): Promise<Buffer | undefined> {
  const bytes = Buffer.from(box, 'base64url');
  if (bytes.length < TAG_BYTES) return undefined;
  const key = await deriveKey(passphrase, kdf);
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64url'), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(bound));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  const secret = decipher.update(bytes.subarray(0, -TAG_BYTES));
  try {
    decipher.final();
    return secret;
  } catch {
    // Not one byte leaves before the tag has held.
    secret.fill(0);
    return undefined;
  } finally {
    key.fill(0);
  }
}

/** Keyboards spell the same letter in different ways, so the passphrase is taken in one form (NFKC). */
async function deriveKey(passphrase: string, kdf: PassphraseBox['kdf']): Promise<Buffer> {
  const N = 2 ** kdf.logN;
  const derive = promisify<string, Uint8Array, number, object, Buffer>(scrypt);
  const options = { N, r: kdf.r, p: kdf.p, maxmem: 256 * kdf.r * N };
  return derive(passphrase.normalize('NFKC'), Buffer.from(kdf.salt, 'base64url'), KEY_BYTES, options);
}

function encode(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}
