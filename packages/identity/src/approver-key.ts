import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { type ApproverProof, canonicalJson, type DecisionStatement, type Random, WritError } from '@writ/core';
import { approverIdOf } from './approver-id.ts';
import { decisionBytes } from './decision-signature.ts';
import { openWithPassphrase, type PassphraseCost, sealWithPassphrase } from './passphrase-box.ts';
import { parseSealedKey, type SealedKey } from './sealed-key.ts';

/** PKCS #8 around the 32 bytes of an Ed25519 key (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const SEED_BYTES = 32;
/** Fewest characters of a passphrase. */
const SHORTEST = 8;
/** Most characters of one; the rest of a file that was given by mistake is not hashed. */
const LONGEST = 1024;

/** A new approver: what is enrolled, and the file that its person keeps. */
export interface NewApproverKey {
  readonly id: string;
  readonly kind: 'passphrase';
  /** SPKI in DER, base64url. */
  readonly publicKey: string;
  /** The private key under the passphrase; useless without it. */
  readonly sealed: Uint8Array;
}

/** An approver's key in memory. */
export interface UnlockedApprover {
  readonly id: string;
  readonly publicKey: string;
  /** Throws INTERNAL after `lock`. */
  sign(statement: DecisionStatement): ApproverProof;
  /** Forgets the key. */
  lock(): void;
}

/**
 * Makes an approver's Ed25519 key under a passphrase. Throws BAD_REQUEST for a passphrase that is blank, too short or
 * too long. Takes about half a second and 128 MiB at the usual cost.
 */
export async function createApproverKey(options: {
  readonly passphrase: string;
  readonly random: Random;
  readonly cost: PassphraseCost;
}): Promise<NewApproverKey> {
  const { passphrase, random, cost } = options;
  if (passphrase.trim() === '' || passphrase.length < SHORTEST || passphrase.length > LONGEST) {
    throw new WritError('BAD_REQUEST', `a passphrase has ${SHORTEST} to ${LONGEST} characters`, {
      nextSteps: ['take four or more words that do not belong together'],
    });
  }
  const seed = Buffer.from(random.bytes(SEED_BYTES));
  const spki = spkiOf(privateKeyOf(seed));
  const id = approverIdOf(spki);
  const publicKey = spki.toString('base64url');
  const head = { v: 1, kind: 'passphrase', id, publicKey } as const;
  const box = await sealWithPassphrase({ secret: seed, passphrase, bound: canonicalJson(head), random, cost });
  seed.fill(0);
  const sealed: SealedKey = { ...head, ...box };
  return { id, kind: 'passphrase', publicKey, sealed: Buffer.from(`${JSON.stringify(sealed, null, 2)}\n`) };
}

/**
 * Opens a sealed key. Throws NOT_APPROVER where the passphrase is not the one that it was sealed with (or the file was
 * changed, which looks the same), BAD_REQUEST where the file is no key of an approver.
 */
export async function unlockApproverKey(sealed: Uint8Array, passphrase: string): Promise<UnlockedApprover> {
  const { v, kind, id, publicKey, ...box } = parseSealedKey(sealed);
  const seed = await openWithPassphrase(box, passphrase, canonicalJson({ v, kind, id, publicKey }));
  if (seed === undefined) {
    throw new WritError('NOT_APPROVER', 'the passphrase is wrong, or the key file was changed', {
      nextSteps: ['try again', 'a passphrase that is lost is lost: enrol anew'],
    });
  }
  let key: KeyObject | undefined = privateKeyOf(seed);
  seed.fill(0);
  // The seal binds both; a key that does not fit was never made by this program.
  if (spkiOf(key).toString('base64url') !== publicKey || approverIdOf(spkiOf(key)) !== id) {
    throw new WritError('BAD_REQUEST', 'the key file holds another key than it says');
  }
  return {
    id,
    publicKey,
    sign(statement) {
      if (key === undefined) throw new WritError('INTERNAL', 'an approver key was used after it was locked');
      return { kind, approver: id, signature: sign(null, decisionBytes(statement), key).toString('base64url') };
    },
    lock() {
      key = undefined;
    },
  };
}

function privateKeyOf(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), type: 'pkcs8', format: 'der' });
}

function spkiOf(key: KeyObject): Buffer {
  return createPublicKey(key).export({ type: 'spki', format: 'der' });
}
