import { canonicalJson, type Json, readCanonicalJson } from '@writ/core';
import { z } from 'zod';

/** First part of every compact form: what it is, and its version. A signature over one is none over another. */
export type Mark = 'writ1' | 'more1';
/** Between a writ and the extension that goes with it. */
const SEAM = '~';
/** Longest compact writ, its extension with it, characters. */
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
 * The compact form, `MARK.HEADER.CLAIMS.SIGNATURE`: canonical JSON and the signature, each in base64url without padding.
 * The signature is over everything before its dot.
 */
export function formatWrit(
  mark: Mark,
  parts: Pick<WritParts, 'identityDer' | 'signingDer' | 'claims'>,
  sign: (data: Uint8Array) => Uint8Array,
): string {
  const header = { alg: 'Ed25519', identity: encode(parts.identityDer), signing: encode(parts.signingDer) };
  const signed = [mark, encode(canonicalJson(header)), encode(canonicalJson(parts.claims))].join('.');
  return `${signed}.${encode(sign(Buffer.from(signed)))}`;
}

/** Takes a compact writ apart, or says what is wrong. There is one spelling of a writ; every other is refused. */
export function parseWrit(
  expected: Mark,
  compact: string,
): WritParts | { readonly field: string; readonly why: string } {
  if (compact.length > LONGEST_WRIT) return { field: 'form', why: `longer than ${LONGEST_WRIT} characters` };
  const [mark, headerText, claimsText, signatureText, ...more] = compact.split('.');
  if (mark !== expected) return { field: 'form', why: `it does not begin with ${expected}` };
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

/** A writ as it is kept and sent: by itself, or with the one extension that counts, `WRIT~EXTENSION`. */
export function joinExtension(writ: string, extension: string | undefined): string {
  return extension === undefined ? writ : `${writ}${SEAM}${extension}`;
}

/** The reverse; what follows a second seam belongs to the extension, which it spoils. */
export function splitExtension(compact: string): { readonly writ: string; readonly extension?: string } {
  const at = compact.indexOf(SEAM);
  return at < 0 ? { writ: compact } : { writ: compact.slice(0, at), extension: compact.slice(at + 1) };
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
  return bytes && readCanonicalJson(bytes);
}
