import { quote, type WritCode, WritError } from '@writ/core';
import { widenedField } from './attenuation.ts';
import { CLOCK_SKEW_MS } from './certificate-kinds.ts';
import { type NodeSignatureCheck, verifyNodeSignature } from './node-signature.ts';
import type { PinLookup } from './peer-certificate.ts';
import type { ChainCheck, Hop, VerifiedChain, WritClaims } from './types.ts';
import { claimsFault, extensionClaimsSchema, writClaimsSchema } from './writ-claims.ts';
import { extensionFault } from './writ-extension.ts';
import { parseWrit, splitExtension, type WritParts } from './writ-format.ts';
import { writDigest } from './writ-issue.ts';

/**
 * Checks a chain of writs whole, first hop first: the form, signature and time of every hop, that each leads to the
 * next and none is wider than the one before, and that the last was issued by the TLS peer for this node. Whether the
 * origin is welcome, and whether the sender may pass work on, is the policy's matter.
 *
 * Every hop carries its issuer's identity certificate, whose key must give the `iss`; the last issuer must be pinned. A hop
 * may carry an extension (`WRIT~EXTENSION`), whose end is then the hop's, for the next one too.
 * Throws WRIT_INVALID, WRIT_EXPIRED, CHAIN_MISMATCH, CHAIN_CYCLE, CHAIN_TOO_DEEP or PEER_UNKNOWN; the message names
 * the hop (from 1) and the field.
 */
export function verifyChain(compacts: readonly string[], check: ChainCheck, pins: PinLookup): VerifiedChain {
  // Before any signature is looked at: a long chain costs its sender more than its receiver.
  if (compacts.length > check.maxChain) {
    throw new WritError('CHAIN_TOO_DEEP', `chain of ${compacts.length} hops is longer than ${check.maxChain}`);
  }
  const hops = compacts.map((compact, i) => readHop(compact, i + 1, check));
  const last = hops.at(-1);
  const first = hops[0];
  if (first === undefined || last === undefined) throw new WritError('WRIT_INVALID', 'there is no writ');

  if (first.prev !== undefined) refuse('WRIT_INVALID', 1, 'prev', 'the first hop follows nothing');
  if (first.origin !== first.iss) refuse('CHAIN_MISMATCH', 1, 'origin', 'the first issuer is not the origin');
  for (const [i, hop] of hops.entries()) {
    const before = hops[i - 1];
    if (before !== undefined) checkStep(before, hop, i + 1, writDigest(compacts[i - 1] ?? ''));
  }
  checkEnds(hops, last, check, pins);
  return { hops, ids: hops.map((hop) => hop.iss), last };
}

/** One hop by itself: form, certificates, signature, claims, time. */
function readHop(compact: string, hop: number, check: ChainCheck): Hop {
  const { nowMs } = check;
  const { writ, extension } = splitExtension(compact);
  const parts = parseWrit('writ1', writ);
  if ('why' in parts) return refuse('WRIT_INVALID', hop, parts.field, parts.why);
  const signer = signerOf(parts, check);
  if (!signer.verified) return refuse('WRIT_INVALID', hop, signer.field, signer.message);
  const fault = claimsFault(parts.claims);
  if (fault !== undefined) refuse('WRIT_INVALID', hop, fault.field, fault.why);
  const signed = writClaimsSchema.parse(parts.claims);
  if (signed.iss !== signer.id) refuse('WRIT_INVALID', hop, 'iss', `signed by ${signer.id}, not by ${signed.iss}`);
  if (signed.iat > signed.exp) refuse('WRIT_INVALID', hop, 'iat', 'issued after its own end');
  if (signed.iat * 1000 > nowMs + CLOCK_SKEW_MS) refuse('WRIT_INVALID', hop, 'iat', 'issued in the future');
  const claims = extension === undefined ? signed : readExtension(extension, { writ, claims: signed }, hop, check);
  if (claims.exp * 1000 < nowMs - CLOCK_SKEW_MS) {
    refuse('WRIT_EXPIRED', hop, 'exp', `ended at ${new Date(claims.exp * 1000).toISOString()}`);
  }
  return claims;
}

/** A hop as its extension leaves it: signed by the same identity, of this very writ, and for its end alone. */
function readExtension(
  extension: string,
  { writ, claims }: { readonly writ: string; readonly claims: WritClaims },
  hop: number,
  check: ChainCheck,
): Hop {
  const parts = parseWrit('more1', extension);
  if ('why' in parts) return refuse('WRIT_INVALID', hop, `extension.${parts.field}`, parts.why);
  const signer = signerOf(parts, check);
  if (!signer.verified) return refuse('WRIT_INVALID', hop, `extension.${signer.field}`, signer.message);
  if (signer.id !== claims.iss) refuse('WRIT_INVALID', hop, 'extension.iss', `signed by ${signer.id}`);
  const malformed = claimsFault(parts.claims, extensionClaimsSchema);
  if (malformed !== undefined) refuse('WRIT_INVALID', hop, `extension.${malformed.field}`, malformed.why);
  const fault = extensionFault(extension, writ, claims);
  if (fault !== undefined) refuse('WRIT_INVALID', hop, fault.field, fault.why);
  const { iat, exp } = extensionClaimsSchema.parse(parts.claims);
  if (iat * 1000 > check.nowMs + CLOCK_SKEW_MS) refuse('WRIT_INVALID', hop, 'extension.iat', 'issued in the future');
  return { ...claims, exp, renewedAt: iat };
}

/** From the identity to the signing key, from the signing key to the bytes. */
function signerOf({ signed: data, ...parts }: WritParts, { nowMs, signers }: ChainCheck): NodeSignatureCheck {
  return verifyNodeSignature({ ...parts, data, atMs: nowMs, ...(signers ? { signers } : {}) });
}

/** One step from a hop to the next. */
function checkStep(before: WritClaims, now: WritClaims, hop: number, digestBefore: string): void {
  if (now.iss !== before.aud) {
    refuse('CHAIN_MISMATCH', hop, 'iss', `${now.iss} was not the audience of the hop before (${before.aud})`);
  }
  if (now.prev !== digestBefore) refuse('CHAIN_MISMATCH', hop, 'prev', 'it is not the digest of the hop before');
  if (now.origin !== before.origin) refuse('CHAIN_MISMATCH', hop, 'origin', `changed from ${before.origin}`);
  if (now.session !== before.session) {
    refuse('CHAIN_MISMATCH', hop, 'session', `changed from ${quote(before.session)} to ${quote(now.session)}`);
  }
  if (now.agent !== before.agent) {
    refuse('CHAIN_MISMATCH', hop, 'agent', `changed from ${quote(before.agent)} to ${quote(now.agent)}`);
  }
  if (before.depth === 0) refuse('CHAIN_TOO_DEEP', hop, 'depth', 'the hop before allows no further one');
  const field = widenedField(before, now);
  if (field !== undefined) refuse('WRIT_INVALID', hop, field, 'wider than the hop before');
}

/** INVARIANT: 3 identities in a chain are distinct after case folding, and the last one is the TLS peer. */
function checkEnds(hops: readonly WritClaims[], last: WritClaims, check: ChainCheck, pins: PinLookup): void {
  const at = hops.length;
  if (last.iss !== check.tlsPeer) {
    refuse('CHAIN_MISMATCH', at, 'iss', `issued by ${last.iss}, but the connection is of ${check.tlsPeer}`);
  }
  if (last.aud !== check.self) refuse('CHAIN_MISMATCH', at, 'aud', `made for ${last.aud}, not for this node`);
  const seen = new Set<string>();
  for (const [i, id] of [...hops.map((hop) => hop.iss), last.aud].entries()) {
    const folded = id.toLowerCase();
    if (seen.has(folded)) refuse('CHAIN_CYCLE', Math.min(i + 1, at), i < at ? 'iss' : 'aud', `${id} is in it twice`);
    seen.add(folded);
  }
  if (pins.get(last.iss) === undefined) refuse('PEER_UNKNOWN', at, 'iss', `${last.iss} is not a peer of this node`);
}

function refuse(code: WritCode, hop: number, field: string, why: string): never {
  throw new WritError(code, `hop ${hop}: ${field}: ${why}`, { details: { hop, field } });
}
