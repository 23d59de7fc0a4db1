import { describe, expect, it } from 'vitest';
import { unseenBy } from './git-warnings.ts';

const LINK = "warning: unable to access 'a/.gitignore': Too many levels of symbolic links";

describe('what git warns of', () => {
  it('is something unseen, whatever it is, but for words that it passes over', () => {
    expect(unseenBy('')).toBeUndefined();
    expect(unseenBy(`${LINK}\n${LINK.replace('a/', '')}`)).toBeUndefined();
    expect(unseenBy(`${LINK}\nwarning: could not open directory 'a b/c/': Permission denied\n${LINK}`)).toBe(
      '`a b/c` cannot be read: Permission denied',
    );
    expect(unseenBy("warning: could not open directory 'd")).toBe("git warned: warning: could not open directory 'd");
    expect(unseenBy(LINK.replace('.gitignore', 'x'))).toContain('git warned');
    expect(unseenBy(LINK.replace(/Too many.*/, 'Permission denied'))).toContain('git warned');
    expect(unseenBy(`${LINK}\n`.repeat(200))).toBe('git warned of more than can be told');
  });

  // As git 2.39 and later say it.
  it.each([
    "warning: Negative patterns are ignored in git attributes\nUse '\\!' for literal leading exclamation.",
    '-!foo is not a valid attribute name: a b/.gitattributes:12',
    '[attr]foo text not allowed: s/.gitattributes:1',
    'warning: ignoring overly long attributes line 3',
    "warning: ignoring overly large gitattributes file 'a/.gitattributes'",
    LINK.replace('.gitignore', '.gitattributes'),
  ])('is nothing unseen where it is about attributes: %s', (said) => {
    expect(unseenBy(said)).toBeUndefined();
    for (const unseen of ["warning: could not open directory 'x/': Permission denied", 'warning: what nobody knows']) {
      expect(unseenBy(`${said}\n${unseen}`)).toBeDefined();
      // A name can hold such a line; what git says begins with its own words.
      expect(unseenBy(`${unseen} ${said.replaceAll('\n', ' ')}`)).toBeDefined();
    }
  });
});
