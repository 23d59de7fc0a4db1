import type { CommandPattern } from './types.ts';

/** True where `argv` is what `pattern` says: literal arguments, `*` for exactly one, a final `**` for any number. */
export function matchesPattern(pattern: CommandPattern, argv: readonly string[]): boolean {
  const open = pattern.at(-1) === '**';
  const fixed = open ? pattern.slice(0, -1) : pattern;
  if (open ? argv.length < fixed.length : argv.length !== fixed.length) return false;
  return fixed.every((wanted, place) => wanted === '*' || wanted === argv[place]);
}

/** True where one of the patterns allows `argv`; an empty argv is allowed by none. */
export function commandAllowed(patterns: readonly CommandPattern[], argv: readonly string[]): boolean {
  return argv.length > 0 && patterns.some((pattern) => matchesPattern(pattern, argv));
}
