import { createHash, createHmac, timingSafeEqual, X509Certificate } from 'node:crypto';

/** What both ends of a pairing saw. Both must have seen the same, or no proof fits and no words agree. */
export interface PairingTranscript {
  readonly invite: string;
  readonly inviter: PairingParty;
  readonly joiner: PairingParty & {
    readonly label: string;
    /** Empty: the joiner cannot be reached. */
    readonly address: string;
  };
}

export interface PairingParty {
  readonly id: string;
  readonly certificatePem: string;
  /** 32 random bytes. */
  readonly nonce: Uint8Array;
}

/** Bytes of each end's nonce. */
export const PAIRING_NONCE_BYTES = 32;

/** What an invite's secret becomes: the key of both proofs, and, in hex, what the inviter keeps. */
export function pairingKey(secret: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(secret).digest());
}

/**
 * One end's proof that it knows the secret: HMAC-SHA256 over its role and the whole transcript, 32 bytes. The role is
 * inside, so that neither end can answer with the other's proof.
 */
export function pairingMac(key: Uint8Array, role: 'inviter' | 'joiner', transcript: PairingTranscript): Uint8Array {
  const mac = createHmac('sha256', key).update(`writ pairing proof 1 ${role}\0`).update(transcriptBytes(transcript));
  return new Uint8Array(mac.digest());
}

/** True where both are the same bytes; takes as long for a wrong proof as for a right one. */
export function isSameMac(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/** SHA-256 of the transcript, for the words that both people compare. */
export function transcriptDigest(transcript: PairingTranscript): Uint8Array {
  return new Uint8Array(
    createHash('sha256').update('writ pairing words 1\0').update(transcriptBytes(transcript)).digest(),
  );
}

/** Every field behind its length, so that no two transcripts have the same bytes. */
function transcriptBytes({ invite, inviter, joiner }: PairingTranscript): Buffer {
  const fields = [
    Buffer.from(invite),
    ...[inviter, joiner].flatMap((party) => [
      Buffer.from(party.id),
      createHash('sha256').update(new X509Certificate(party.certificatePem).raw).digest(),
      Buffer.from(party.nonce),
    ]),
    Buffer.from(joiner.label),
    Buffer.from(joiner.address),
  ];
  return Buffer.concat(
    fields.flatMap((field) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(field.length);
      return [length, field];
    }),
  );
}
