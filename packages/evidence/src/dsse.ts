import { dsse } from '@sigstore/core';
import { canonicalJson, type Json, WritError } from '@writ/core';
import { z } from 'zod';
import { LONGEST_RESULT, parseCanonical } from './result.ts';

/** A DSSE envelope with one signature, of a node. */
export interface Envelope {
  readonly payloadType: string;
  readonly payload: Uint8Array;
  /** Node id; a hint, which has to agree with the certificates. */
  readonly keyid: string;
  readonly signature: Uint8Array;
  /** Certificate of the signing key, DER. */
  readonly signingDer: Uint8Array;
  /** Identity certificate of the node, DER. */
  readonly identityDer: Uint8Array;
}

/** Longest envelope, bytes: the payload of the longest result, in base64. Who receives one takes less. */
const LONGEST_ENVELOPE = 2 * LONGEST_RESULT;
/** Values of an envelope: nine, and as many again for whoever wants to be told what is wrong. */
const MOST_VALUES = 32;
/** Longest name in it, and longest certificate or signature in base64, UTF-16 units. */
const LONGEST_NAME = 256;
const LONGEST_CERTIFICATE = 16_384;

const certificate = z.string().max(LONGEST_CERTIFICATE);
const schema = z.strictObject({
  payload: z.string(),
  payloadType: z.string().max(LONGEST_NAME),
  signatures: z
    .array(
      z.strictObject({
        keyid: z.string().max(LONGEST_NAME),
        ...{ sig: z.string().max(LONGEST_NAME), certificate, identity: certificate },
      }),
    )
    .length(1),
});

/** The bounds of a statement that says a few words, and of its envelope, bytes: a receipt, the end of a session. */
export const SHORT_STATEMENT = { envelope: 64 * 1024, payload: { bytes: 4096, values: 16 } } as const;

/** What is signed (DSSE 1.0: pre-authentication encoding). */
export function preAuthEncoding(payloadType: string, payload: Uint8Array): Uint8Array {
  return dsse.preAuthEncoding(payloadType, Buffer.from(payload));
}

/** The envelope as bytes: canonical JSON, base64 in its one spelling. */
export function formatEnvelope(envelope: Envelope): Buffer {
  const encode = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
  const value: Json = {
    payload: encode(envelope.payload),
    payloadType: envelope.payloadType,
    signatures: [
      {
        keyid: envelope.keyid,
        sig: encode(envelope.signature),
        certificate: encode(envelope.signingDer),
        identity: encode(envelope.identityDer),
      },
    ],
  };
  return Buffer.from(canonicalJson(value));
}

/**
 * Takes an envelope apart; nothing about it is proved yet. Unknown fields and other spellings are refused, so that every
 * bit of an envelope is looked at. `longest`: of the whole, bytes. Throws EVIDENCE_INVALID.
 */
export function parseEnvelope(bytes: Uint8Array, longest = LONGEST_ENVELOPE): Envelope {
  const parsed = schema.safeParse(parseCanonical(bytes, 'envelope', { bytes: longest, values: MOST_VALUES }));
  const signature = parsed.data?.signatures[0];
  if (!parsed.success || signature === undefined) {
    throw new WritError('EVIDENCE_INVALID', 'envelope: it is no envelope with one signature of a node');
  }
  return {
    payloadType: parsed.data.payloadType,
    payload: decode(parsed.data.payload, 'payload'),
    keyid: signature.keyid,
    signature: decode(signature.sig, 'sig'),
    signingDer: decode(signature.certificate, 'certificate'),
    identityDer: decode(signature.identity, 'identity'),
  };
}

function decode(text: string, field: string): Uint8Array {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) {
    throw new WritError('EVIDENCE_INVALID', `envelope: ${field}: it is not canonical base64`, { details: { field } });
  }
  return new Uint8Array(bytes);
}
