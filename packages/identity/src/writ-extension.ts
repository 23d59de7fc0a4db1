import { quote, WritError } from '@writ/core';
import type { NodeIdentity, WritClaims } from './types.ts';
import { formatWrit, joinExtension, splitExtension } from './writ-format.ts';
import { certificatesOf, writDigest } from './writ-issue.ts';
import { readExtensionClaims, readWritClaims } from './writ-read.ts';

/** Longest life of a writ or of an extension, from when it was signed, seconds. */
export const LONGEST_LIFE_S = 24 * 3600;

/**
 * Signs that a writ of this node's own lives until `exp`, and gives the writ with that in place of an earlier extension.
 * It stays outside what `prev` is about. Throws WRIT_INVALID where the writ is another node's, or the end no later.
 */
export function extendWrit(
  identity: NodeIdentity,
  compact: string,
  { iat, exp }: { readonly iat: number; readonly exp: number },
): string {
  const hop = readWritClaims(compact);
  if (hop?.iss !== identity.public.id) throw new WritError('WRIT_INVALID', 'cannot extend a writ of another node');
  if (exp <= hop.exp) throw new WritError('WRIT_INVALID', 'cannot extend it: the writ has that end already');
  const { iss, aud, task, nonce } = hop;
  const claims = { v: 1, iss, aud, task, nonce, writ: writDigest(compact), iat, exp };
  const extension = formatWrit('more1', { ...certificatesOf(identity), claims }, (data) => identity.sign(data));
  return joinExtension(splitExtension(compact).writ, extension);
}

/** The extensions of a chain, those of hops that have one, first hop first. */
export function extensionsOf(compacts: readonly string[]): readonly string[] {
  return compacts.flatMap((compact) => splitExtension(compact).extension ?? []);
}

/**
 * A chain with these extensions in the places of the writs that they name. One that is no newer than what is there changes
 * nothing. Nothing is proved here: that is for `verifyChain`. Throws WRIT_INVALID for one of no writ of the chain.
 */
export function withExtensions(compacts: readonly string[], extensions: readonly string[]): readonly string[] {
  const chain = [...compacts];
  for (const extension of extensions) {
    const claims = readExtensionClaims(extension);
    const at = chain.findIndex((compact) => writDigest(compact) === claims?.writ);
    const compact = chain[at];
    if (claims === undefined || compact === undefined) {
      throw new WritError('WRIT_INVALID', 'an extension of no writ that this task came with');
    }
    if (claims.exp > (readWritClaims(compact)?.exp ?? 0)) {
      chain[at] = joinExtension(splitExtension(compact).writ, extension);
    }
  }
  return chain;
}

/** First thing in which an extension is not one of this writ, or too long; undefined where it is. */
export function extensionFault(
  extension: string,
  writ: string,
  claims: WritClaims,
): { readonly field: string; readonly why: string } | undefined {
  const more = readExtensionClaims(extension);
  if (more === undefined) return { field: 'extension', why: 'it cannot be read' };
  for (const field of ['iss', 'aud', 'task', 'nonce'] as const) {
    if (more[field] !== claims[field]) {
      return { field: `extension.${field}`, why: `${quote(more[field])} is not the one of the writ` };
    }
  }
  if (more.writ !== writDigest(writ)) return { field: 'extension.writ', why: 'it is of another writ' };
  if (more.exp <= claims.exp) return { field: 'extension.exp', why: 'it does not extend the writ' };
  if (more.iat < claims.iat) return { field: 'extension.iat', why: 'issued before the writ' };
  if (more.exp - more.iat > LONGEST_LIFE_S) return { field: 'extension.exp', why: 'it lives longer than 24 hours' };
  return undefined;
}
