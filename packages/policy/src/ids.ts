/**
 * A node id as it is compared: ASCII letters lower-cased, nothing else. Full case folding would let a look-alike such
 * as the Kelvin sign become a letter.
 */
export function foldId(id: string): string {
  return /[A-Z]/.test(id) ? id.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) : id;
}
