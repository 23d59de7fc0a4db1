import { quote } from '@writ/core';

/** More than this fails as well, UTF-16 units: the rest may have been cut off. */
const LONGEST = 8 * 1024;
/** Git does not follow a link to patterns: nothing is ignored by them, so that more is seen and not less. */
const MORE_IS_SEEN = /^warning: unable to access '(.*\/)?\.gitignore': Too many levels of symbolic links$/;

/**
 * What git has not looked at, by what it said on standard error (a line each): it passes over a folder that it may not open, and
 * succeeds. Undefined where it has seen everything.
 */
export function unseenBy(warnings: string): string | undefined {
  if (warnings.length > LONGEST) return 'git warned of more than can be told';
  const line = warnings.split('\n').find((one) => one !== '' && !MORE_IS_SEEN.test(one));
  if (line === undefined) return undefined;
  const folder = /^warning: could not open directory '(.+)\/': (.*)/.exec(line);
  return folder === null ? `git warned: ${line}` : `${quote(folder[1] ?? '')} cannot be read: ${folder[2]}`;
}
