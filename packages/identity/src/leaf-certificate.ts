import type { X509Certificate } from 'node:crypto';
import { parseNodeId } from '@writ/core';
import { CLOCK_SKEW_MS, LEAF_KEY_TYPES, LEAF_NAMES, LEAF_USAGES, type LeafKind } from './certificate-kinds.ts';
import { parseCertificate } from './identity-certificate.ts';
import { nodeIdOf } from './node-id.ts';

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
  readonly kind: LeafKind;
  readonly certificate: X509Certificate;
}

/** The id in the first name of a leaf, as node:crypto prints it. */
const FIRST_NAME = /^URI:writ:(wn-[a-z2-7]{36})(?:,|$)/;

/** Reads a certificate and the one node id that it names: its names are exactly those of its kind. */
export function readClaimedLeaf(der: Uint8Array, kind: LeafKind): ClaimedLeaf | LeafRefusal {
  const certificate = parseCertificate(der);
  if (certificate === undefined) return refuse('malformed', 'not a certificate');
  const names = certificate.subjectAltName ?? '';
  const id = parseNodeId(FIRST_NAME.exec(names)?.[1] ?? '');
  if (id === undefined) return refuse('no-id', 'certificate names no node');
  // The whole list is compared, so that a second name cannot hide behind the first.
  if (names !== printedNames(id, kind)) return refuse('no-id', 'certificate names more than one node, or another use');
  return { id, kind, certificate };
}

/** Proves a claimed certificate against the identity certificate of the node that it names. */
export function proveLeaf(leaf: ClaimedLeaf, identity: X509Certificate, nowMs: number): LeafRefusal | undefined {
  const refusal = proveIssued(leaf, identity);
  if (refusal !== undefined) return refusal;
  const [own, issuer] = [validityOf(leaf.certificate), validityOf(identity)];
  const both = { fromMs: Math.max(own.fromMs, issuer.fromMs), toMs: Math.min(own.toMs, issuer.toMs) };
  return timeRefusal(leaf.id, both, nowMs);
}

/** The part of it that does not change with the time. */
export function proveIssued(leaf: ClaimedLeaf, identity: X509Certificate): LeafRefusal | undefined {
  const { certificate } = leaf;
  if (nodeIdOf(identity) !== leaf.id) return refuse('wrong-issuer', `certificate of another identity than ${leaf.id}`);
  const isNamed = certificate.issuer === identity.subject && certificate.subject === `CN=${leaf.id}`;
  // Also false for a certificate with an extension twice.
  if (!isNamed || !certificate.checkIssued(identity)) {
    return refuse('wrong-issuer', `certificate was not issued by the identity of ${leaf.id}`);
  }
  if (!verifies(certificate, identity)) {
    return refuse('bad-signature', `certificate is not signed by the identity key of ${leaf.id}`);
  }
  const use = useRefusal(leaf);
  return use === undefined ? undefined : refuse('wrong-use', use);
}

/** The part of it that does: within its validity and its issuer's, give or take what clocks differ. */
export function timeRefusal(
  id: string,
  both: { readonly fromMs: number; readonly toMs: number },
  nowMs: number,
): LeafRefusal | undefined {
  if (!(nowMs >= both.fromMs - CLOCK_SKEW_MS)) return refuse('not-yet-valid', `certificate of ${id} is not valid yet`);
  if (!(nowMs <= both.toMs + CLOCK_SKEW_MS)) return refuse('expired', `certificate of ${id} has expired`);
  return undefined;
}

/** When a certificate is valid, milliseconds since the epoch. */
export function validityOf(certificate: X509Certificate): { readonly fromMs: number; readonly toMs: number } {
  return { fromMs: Date.parse(certificate.validFrom), toMs: Date.parse(certificate.validTo) };
}

function useRefusal({ certificate, kind }: ClaimedLeaf): string | undefined {
  if (certificate.ca) return 'certificate is an authority, not a leaf';
  if (certificate.publicKey.asymmetricKeyType !== LEAF_KEY_TYPES[kind]) return `certificate is not over a ${kind} key`;
  // Absent where the certificate does not limit its use.
  const usages = certificate.keyUsage ?? [];
  return usages.toSorted().join() === LEAF_USAGES[kind].toSorted().join()
    ? undefined
    : `certificate is not for ${kind}`;
}

function printedNames(id: string, kind: LeafKind): string {
  return [`URI:writ:${id}`, ...LEAF_NAMES[kind].map((name) => `DNS:${name}`)].join(', ');
}

function verifies(certificate: X509Certificate, identity: X509Certificate): boolean {
  try {
    return certificate.verify(identity.publicKey);
  } catch {
    return false;
  }
}

function refuse(reason: LeafRefusalReason, message: string): LeafRefusal {
  return { reason, message };
}
