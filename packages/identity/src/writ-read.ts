import type { WritClaims } from './types.ts';
import { writClaimsSchema } from './writ-claims.ts';
import { parseWrit } from './writ-format.ts';

/**
 * What a compact writ says, for showing one that this node checked or signed before: nothing is proved here. Undefined
 * where it cannot be read.
 */
export function readWritClaims(compact: string): WritClaims | undefined {
  const parts = parseWrit(compact);
  return 'why' in parts ? undefined : writClaimsSchema.safeParse(parts.claims).data;
}
