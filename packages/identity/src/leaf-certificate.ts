import 'reflect-metadata';
import type { X509Certificate } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { CLOCK_SKEW_MS, ID_URI_PREFIX, LEAF_KEY_TYPES, LEAF_USAGES, type LeafKind } from './certificate-kinds.ts';
import { parseCertificate } from './identity-certificate.ts';
import { nodeIdOf, parseNodeId } from './node-id.ts';

/** Why a certificate under an identity is refused. */
export type LeafRefusalReason =
  | 'malformed'
  | 'no-id'
  | 'unknown-peer'
  | 'wrong-issuer'
  | 'bad-signature'
  | 'wrong-use'
  | 'not-yet-valid'
  | 'expired';

export interface LeafRefusal {
  readonly reason: LeafRefusalReason;
  /** Lower case, no full stop, safe to show. */
  readonly message: string;
}

/** A certificate that says which node it is for; nothing about it is proved yet. */
export interface ClaimedLeaf {
  readonly id: string;
  readonly certificate: X509Certificate;
  readonly parsed: x509.X509Certificate;
}

const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17';
const EXTENDED_KEY_USAGE = '2.5.29.37';
/** Extensions that may be critical, because they are understood here or by the TLS library. */
const UNDERSTOOD = new Set([SUBJECT_ALTERNATIVE_NAME, EXTENDED_KEY_USAGE, '2.5.29.15', '2.5.29.19']);

/** Reads a certificate and the one node id that it names. */
export function readClaimedLeaf(der: Uint8Array): ClaimedLeaf | LeafRefusal {
  const certificate = parseCertificate(der);
  if (certificate === undefined) return refuse('malformed', 'not a certificate');
  try {
    const parsed = new x509.X509Certificate(Uint8Array.from(der));
    const ids = urisOf(parsed).filter((uri) => uri.toLowerCase().startsWith(ID_URI_PREFIX));
    const [uri] = ids;
    if (uri === undefined) return refuse('no-id', 'certificate names no node');
    if (ids.length > 1) return refuse('no-id', 'certificate names more than one node');
    const text = uri.slice(ID_URI_PREFIX.length);
    const id = parseNodeId(text);
    if (id === undefined || `${ID_URI_PREFIX}${id}` !== uri)
      return refuse('no-id', 'certificate names no valid node id');
    return { id, certificate, parsed };
  } catch {
    return refuse('malformed', 'certificate cannot be read');
  }
}

/** Proves a claimed certificate against the identity certificate of the node that it names. */
export function proveLeaf(
  leaf: ClaimedLeaf,
  identity: X509Certificate,
  kind: LeafKind,
  nowMs: number,
): LeafRefusal | undefined {
  const { certificate, parsed } = leaf;
  if (nodeIdOf(identity) !== leaf.id) return refuse('wrong-issuer', `certificate of another identity than ${leaf.id}`);
  if (certificate.issuer !== identity.subject || certificate.subject !== `CN=${leaf.id}`) {
    return refuse('wrong-issuer', `certificate was not issued by the identity of ${leaf.id}`);
  }
  if (!verifies(certificate, identity)) {
    return refuse('bad-signature', `certificate is not signed by the identity key of ${leaf.id}`);
  }
  const use = useRefusal(leaf, kind);
  if (use !== undefined) return refuse('wrong-use', use);
  if (nowMs < Math.max(parsed.notBefore.getTime(), Date.parse(identity.validFrom)) - CLOCK_SKEW_MS) {
    return refuse('not-yet-valid', `certificate of ${leaf.id} is not valid yet`);
  }
  if (nowMs > Math.min(parsed.notAfter.getTime(), Date.parse(identity.validTo)) + CLOCK_SKEW_MS) {
    return refuse('expired', `certificate of ${leaf.id} has expired`);
  }
  return undefined;
}

function useRefusal({ certificate, parsed }: ClaimedLeaf, kind: LeafKind): string | undefined {
  if (certificate.ca) return 'certificate is an authority, not a leaf';
  if (certificate.publicKey.asymmetricKeyType !== LEAF_KEY_TYPES[kind]) return `certificate is not over a ${kind} key`;
  const usages = parsed.extensions
    .filter((extension) => extension.type === EXTENDED_KEY_USAGE)
    .flatMap((extension) => new x509.ExtendedKeyUsageExtension(extension.rawData).usages.map(String));
  if (usages.toSorted().join() !== LEAF_USAGES[kind].toSorted().join()) return `certificate is not for ${kind}`;
  const unknown = parsed.extensions.find((extension) => extension.critical && !UNDERSTOOD.has(extension.type));
  return unknown && `certificate has the unknown critical extension ${unknown.type}`;
}

function urisOf(parsed: x509.X509Certificate): readonly string[] {
  return parsed.extensions
    .filter((extension) => extension.type === SUBJECT_ALTERNATIVE_NAME)
    .flatMap((extension) => new x509.SubjectAlternativeNameExtension(extension.rawData).names.items)
    .filter((name) => name.type === 'url')
    .map((name) => name.value);
}

function verifies(certificate: X509Certificate, identity: X509Certificate): boolean {
  try {
    return certificate.checkIssued(identity) && certificate.verify(identity.publicKey);
  } catch {
    return false;
  }
}

function refuse(reason: LeafRefusalReason, message: string): LeafRefusal {
  return { reason, message };
}
