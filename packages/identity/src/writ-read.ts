import type { ExtensionClaims, Hop } from './types.ts';
import { extensionClaimsSchema, writClaimsSchema } from './writ-claims.ts';
import { parseWrit, splitExtension } from './writ-format.ts';

/**
 * What a compact writ says, as it stands, for showing one that this node checked or signed before: nothing is proved here.
 * Undefined where it cannot be read.
 */
export function readWritClaims(compact: string): Hop | undefined {
  const { writ, extension } = splitExtension(compact);
  const parts = parseWrit('writ1', writ);
  const claims = 'why' in parts ? undefined : writClaimsSchema.safeParse(parts.claims).data;
  if (claims === undefined || extension === undefined) return claims;
  const more = readExtensionClaims(extension);
  return more && { ...claims, exp: more.exp, renewedAt: more.iat };
}

/** The same of an extension alone. */
export function readExtensionClaims(extension: string): ExtensionClaims | undefined {
  const parts = parseWrit('more1', extension);
  return 'why' in parts ? undefined : extensionClaimsSchema.safeParse(parts.claims).data;
}

/** When a chain became what it is: its last writ or the newest extension, seconds since the epoch. Undefined as above. */
export function chainIssuedAt(compacts: readonly string[]): number | undefined {
  const hops = compacts.map(readWritClaims);
  const last = hops.at(-1);
  return last && Math.max(last.iat, ...hops.map((hop) => hop?.renewedAt ?? 0));
}
