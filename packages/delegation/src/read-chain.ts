import { readWritClaims, type WritClaims } from '@writ/identity';

/** What stored writs say, first hop first; those that cannot be read are left out. */
export function readChain(compacts: readonly string[]): readonly WritClaims[] {
  return compacts.flatMap((compact) => readWritClaims(compact) ?? []);
}
