import { canonicalJson, type Json } from '@writ/core';
import { z } from 'zod';

/** First part of every compact writ: the format and its version. */
const WRIT_MARK = 'writ1';
/** Longest compact writ, characters. */
const LONGEST_WRIT = 32_768;
const SIGNATURE_BYTES = 64;

/** A compact writ taken apart; nothing about it is proved yet. */
export interface WritParts {
  readonly identityDer: Uint8Array;
  readonly signingDer: Uint8Array;
  readonly claims: Json;
  /** What was signed, exactly. */
  readonly signed: Uint8Array;
  readonly signature: Uint8Array;
}

const headerSchema = z.strictObject({
  alg: z.literal('Ed25519'),
  /** Identity certificate of the issuer, DER in base64url. */
  identity: z.string(),
  /** Certificate that leads from the identity to the signing key, DER in base64url. */
  signing: z.string(),
});

/**
 * The compact form, `writ1.HEADER.CLAIMS.SIGNATURE`: canonical JSON and the signature, each in base64url without padding.
 * The signature is over everything before its dot.
 */
export function formatWrit(
  parts: Pick<WritParts, 'identityDer' | 'signingDer' | 'claims'>,
  sign: (data: Uint8Array) => Uint8Array,
): string {
  const header = { alg: 'Ed25519', identity: encode(parts.identityDer), signing: encode(parts.signingDer) };
  const signed = [WRIT_MARK, encode(canonicalJson(header)), encode(canonicalJson(parts.claims))].join('.');
  return `${signed}.${encode(sign(Buffer.from(signed)))}`;
}

/** Takes a compact writ apart, or says what is wrong. There is one spelling of a writ; every other is refused. */
export function parseWrit(compact: string): WritParts | { readonly field: string; readonly why: string } {
  if (compact.length > LONGEST_WRIT) return { field: 'form', why: `longer than ${LONGEST_WRIT} characters` };
  const [mark, headerText, claimsText, signatureText, ...more] = compact.split('.');
  if (mark !== WRIT_MARK) return { field: 'form', why: `it does not begin with ${WRIT_MARK}` };
  if (headerText === undefined || claimsText === undefined || signatureText === undefined || more.length > 0) {
    return { field: 'form', why: 'it has not four parts' };
  }
  const header = headerSchema.safeParse(decodeJson(headerText)).data;
  const identityDer = decode(header?.identity ?? '');
  const signingDer = decode(header?.signing ?? '');
  if (!identityDer?.length || !signingDer?.length) return { field: 'header', why: 'it is not two certificates' };
  const claims = decodeJson(claimsText);
  if (claims === undefined) return { field: 'claims', why: 'not canonical json' };
  const signature = decode(signatureText);
  if (signature?.length !== SIGNATURE_BYTES) return { field: 'signature', why: 'not a signature' };
  const signed = Buffer.from([mark, headerText, claimsText].join('.'));
  return { identityDer, signingDer, claims, signed, signature };
}

function encode(data: string | Uint8Array): string {
  return Buffer.from(data).toString('base64url');
}

/** Bytes of base64url, or undefined where it is none or not the one spelling of its bytes. */
function decode(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? new Uint8Array(bytes) : undefined;
}

function decodeJson(text: string): Json | undefined {
  const bytes = decode(text);
  if (bytes === undefined) return undefined;
  try {
    const json = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const value: Json = JSON.parse(json);
    // Doubled keys, other orders, other spellings of a number: all end here.
    return canonicalJson(value) === json ? value : undefined;
  } catch {
    return undefined;
  }
}
