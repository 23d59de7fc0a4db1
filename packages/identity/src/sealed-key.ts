import { WritError } from '@writ/core';
import { z } from 'zod';

/** Bytes of base64url in its one spelling. */
const bytes = (length: number) =>
  z.string().refine((text) => {
    const decoded = Buffer.from(text, 'base64url');
    return decoded.length === length && decoded.toString('base64url') === text;
  });

/** Largest file that is looked at, bytes. */
const LARGEST = 4096;

/** What an approver's person keeps: who it is, and the private key under the passphrase. */
const sealedKeySchema = z.strictObject({
  v: z.literal(1),
  kind: z.literal('passphrase'),
  id: z.string(),
  publicKey: bytes(44),
  // Bounded on both sides: a file may neither be cheap to guess nor take the machine's memory.
  kdf: z.strictObject({
    name: z.literal('scrypt'),
    logN: z.number().int().min(14).max(20),
    r: z.literal(8),
    p: z.number().int().min(1).max(4),
    salt: bytes(32),
  }),
  aead: z.literal('aes-256-gcm'),
  nonce: bytes(12),
  box: bytes(48),
});
export type SealedKey = z.infer<typeof sealedKeySchema>;

/** Throws BAD_REQUEST for anything but a key file of this version. */
export function parseSealedKey(sealed: Uint8Array): SealedKey {
  const parsed = sealed.length <= LARGEST ? sealedKeySchema.safeParse(parseJson(sealed)) : undefined;
  if (parsed?.success) return parsed.data;
  const field = parsed?.error.issues[0]?.path.join('.');
  throw new WritError('BAD_REQUEST', `not a key file of an approver${field ? `: \`${field}\` is none of it` : ''}`, {
    nextSteps: ['name the file that enrolling wrote, or enrol anew'],
  });
}

function parseJson(data: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(data).toString('utf8'));
  } catch {
    return undefined;
  }
}
