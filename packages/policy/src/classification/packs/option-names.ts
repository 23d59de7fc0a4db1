import type { KnownOptions } from '../types.ts';

/** Names of options: `-a` for every letter, and those that are written out, apart by spaces. */
export function optionNames(letters: string, whole = ''): readonly string[] {
  return [...Array.from(letters, (letter) => `-${letter}`), ...wordList(whole)];
}

/** Words apart by spaces. */
export function wordList(text: string): readonly string[] {
  return text.split(' ').filter((word) => word !== '');
}

/** Options without a value, letters first, and those that take the next argument: the last, and of the written out ones what ends in `=`. */
export function knownOptions(letters: string, whole = '', valued = ''): KnownOptions {
  const names = wordList(whole);
  const isValued = (name: string): boolean => name.endsWith('=');
  return {
    flags: [...optionNames(letters), ...names.filter((name) => !isValued(name))],
    valued: [...wordList(valued), ...names.filter(isValued).map((name) => name.slice(0, -1))],
  };
}

/** The same options behind each of several commands. */
export function behind(commands: readonly string[], known: KnownOptions): Readonly<Record<string, KnownOptions>> {
  return Object.fromEntries(commands.map((command) => [command, known]));
}

/** An operand that may lead out of the folder: what begins at the root or at a home, goes up, or is the address of a file. */
export const LEADS_OUT = /^(?:[/~]|file:)|(?:^|[/:])\.\.(?:\/|$)/i;
/** An operand that does not. */
export const STAYS_IN = /^(?![/~]|file:)(?!(?:.*[/:])?\.\.(?:\/|$))/is;
/** A path below the folder, as one operand: what lies elsewhere is code of somebody else. */
export const BELOW = /^(?![/~])(?!(?:.*\/)?\.\.(?:\/|$))[\w@./:[\]*-]+$/;
/** The same among the arguments of `written`, each behind a broken line: the text of an expression. */
export const BELOW_WRITTEN = '\\n(?![-/~])(?!(?:[^\\n]*\\/)?\\.\\.(?:\\/|\\n|$))[\\w@./:[\\]*-]+';
/**
 * What may be given to whatever a script of the folder runs: paths below the folder, names, and options without a path. Anything else may
 * name code of somebody else, or a file to write.
 */
export const CHECKED = /^(?:--?[\w-]+(?:=[\w.-]+)?|(?![-/~])(?!(?:.*\/)?\.\.(?:\/|$))(?!.*:\/\/)[\w@./:[\]*-]+)$/;
/** What nearly every program answers itself. */
export const SAYS: readonly string[] = ['--version', '--help'];
