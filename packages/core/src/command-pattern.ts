/**
 * True where `argv` is what `pattern` says: literal arguments, `*` for exactly one, a final `**` for any number. A `**`
 * that stands elsewhere matches nothing.
 */
export function matchesPattern(pattern: readonly string[], argv: readonly string[]): boolean {
  const open = pattern.at(-1) === '**';
  const fixed = open ? pattern.slice(0, -1) : pattern;
  if (open ? argv.length < fixed.length : argv.length !== fixed.length) return false;
  return fixed.every((wanted, place) => wanted === '*' || (wanted !== '**' && wanted === argv[place]));
}
