import 'reflect-metadata';
import { type KeyObject, webcrypto } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';
import type { Random } from '@writ/core';
import { ID_URI_PREFIX, LEAF_NAMES, LEAF_USAGES, type LeafKind } from './certificate-kinds.ts';

const DAY_MS = 86_400_000;
/** An identity key is never rotated: fifty years. */
const IDENTITY_LIFETIME_MS = 50 * 365 * DAY_MS;
/** TLS and signing certificates, milliseconds. */
const LEAF_LIFETIME_MS = 90 * DAY_MS;
/** Certificates are valid from a while ago, for peers whose clock is behind. */
const BACKDATE_MS = 3_600_000;
const ECDSA = { name: 'ECDSA', namedCurve: 'P-256' } as const;

/** What a certificate is made with. */
export interface IssueContext {
  readonly identityKey: KeyObject;
  /** Node id of the identity key. */
  readonly id: string;
  readonly nowMs: number;
  readonly random: Random;
  /** Since when the certificate of the identity is valid, milliseconds since the epoch; absent: it is that one that is made. */
  readonly issuerFromMs?: number;
}

/** Self-signed CA certificate over the identity key, DER. Its name is the node id, so that no two identities share one. */
export async function issueIdentityCertificate(context: IssueContext, publicKeySpki: Uint8Array): Promise<Uint8Array> {
  return issue(context, publicKeySpki, IDENTITY_LIFETIME_MS, [
    new BasicConstraintsExtension(true, 0, true),
    new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
  ]);
}

/** Certificate of one kind for a key under the identity, DER. */
export async function issueLeafCertificate(
  context: IssueContext,
  kind: LeafKind,
  publicKeySpki: Uint8Array,
  identitySpki: Uint8Array,
): Promise<Uint8Array> {
  const names = [
    { type: 'url' as const, value: `${ID_URI_PREFIX}${context.id}` },
    ...LEAF_NAMES[kind].map((value) => ({ type: 'dns' as const, value })),
  ];
  return issue(context, publicKeySpki, LEAF_LIFETIME_MS, [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([...LEAF_USAGES[kind]], true),
    new SubjectAlternativeNameExtension(names),
    await AuthorityKeyIdentifierExtension.create(Uint8Array.from(identitySpki)),
  ]);
}

async function issue(
  context: IssueContext,
  publicKeySpki: Uint8Array,
  lifetimeMs: number,
  extensions: readonly Extension[],
): Promise<Uint8Array> {
  const pkcs8 = context.identityKey.export({ type: 'pkcs8', format: 'der' });
  const signingKey = await webcrypto.subtle.importKey('pkcs8', pkcs8, ECDSA, false, ['sign']);
  const publicKey = Uint8Array.from(publicKeySpki);
  // Nothing that an identity certifies is older than it is, whatever a clock says: nobody could verify it.
  const fromMs = Math.max(context.nowMs - BACKDATE_MS, context.issuerFromMs ?? Number.NEGATIVE_INFINITY);
  const certificate = await X509CertificateGenerator.create({
    serialNumber: serialNumber(context.random),
    subject: `CN=${context.id}`,
    issuer: `CN=${context.id}`,
    notBefore: wholeSecond(fromMs),
    notAfter: wholeSecond(Math.max(context.nowMs, fromMs) + lifetimeMs),
    publicKey,
    signingKey,
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    extensions: [...extensions, await SubjectKeyIdentifierExtension.create(publicKey)],
  });
  return new Uint8Array(certificate.rawData);
}

/** A positive serial number of 126 random bits, hex. */
function serialNumber(random: Random): string {
  const bytes = Uint8Array.from(random.bytes(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return Buffer.from(bytes).toString('hex');
}

/** Certificates know no parts of a second. */
function wholeSecond(ms: number): Date {
  return new Date(Math.floor(ms / 1000) * 1000);
}
