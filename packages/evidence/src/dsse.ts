import { dsse } from '@sigstore/core';
import { canonicalJson, type Json, WritError } from '@writ/core';
import { z } from 'zod';
import { parseCanonical } from './result.ts';

/** Most values in an envelope; there are eight and its own. */
const MOST_VALUES = 16;

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

const schema = z.strictObject({
  payload: z.string(),
  payloadType: z.string(),
  signatures: z
    .array(z.strictObject({ keyid: z.string(), sig: z.string(), certificate: z.string(), identity: z.string() }))
    .length(1),
});

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
 * bit of an envelope is looked at. Throws EVIDENCE_INVALID.
 */
export function parseEnvelope(bytes: Uint8Array): Envelope {
  const parsed = schema.safeParse(parseCanonical(bytes, 'envelope', MOST_VALUES));
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
