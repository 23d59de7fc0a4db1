import { quote } from '@writ/core';

/** More than this fails as well, UTF-16 units: the rest may have been cut off. */
const LONGEST = 8 * 1024;
/**
 * What git says about words that it passes over, in files that it reads besides those it looks at: it looks at as many of the latter
 * all the same. Patterns behind a link ignore nothing, so that more is seen and not less; attributes say in which form a file is
 * taken in, here as in every other git. Each from its first letter on: names that others have chosen stand behind it.
 */
const PASSED_OVER = [
  /^warning: unable to access '(.*\/)?\.git(ignore|attributes)': Too many levels of symbolic links$/,
  /^warning: Negative patterns are ignored in git attributes$/,
  /^(warning: )?Use '\\!' for literal leading exclamation\.$/,
  /^\S+ is not a valid attribute name: .+:\d+$/,
  /^\[attr\].* not allowed: .+:\d+$/,
  /^warning: ignoring overly long attributes line \d+$/,
  /^warning: ignoring overly large gitattributes (file|blob) '.+'$/,
];

/**
 * What git has not looked at, by what it said on standard error (a line each): it passes over a folder that it may not open, and
 * succeeds. Undefined where it has seen everything.
 */
export function unseenBy(warnings: string): string | undefined {
  if (warnings.length > LONGEST) return 'git warned of more than can be told';
  const line = warnings.split('\n').find((one) => one !== '' && !PASSED_OVER.some((known) => known.test(one)));
  if (line === undefined) return undefined;
  const folder = /^warning: could not open directory '(.+)\/': (.*)/.exec(line);
  return folder === null ? `git warned: ${line}` : `${quote(folder[1] ?? '')} cannot be read: ${folder[2]}`;
}
