import { describe, expect, it } from 'vitest';
import { unseenBy } from './git-warnings.ts';

const LINK = "warning: unable to access 'a/.gitignore': Too many levels of symbolic links";

describe('what git warns of', () => {
  it('is something unseen, whatever it is, but for patterns that it does not follow', () => {
    expect(unseenBy('')).toBeUndefined();
    expect(unseenBy(`${LINK}\n${LINK.replace('a/', '')}`)).toBeUndefined();
    expect(unseenBy(`${LINK}\nwarning: could not open directory 'a b/c/': Permission denied\n${LINK}`)).toBe(
      '`a b/c` cannot be read: Permission denied',
    );
    expect(unseenBy("warning: could not open directory 'd")).toBe("git warned: warning: could not open directory 'd");
    expect(unseenBy(LINK.replace('.gitignore', 'x'))).toContain('git warned');
    expect(unseenBy(`${LINK}\n`.repeat(200))).toBe('git warned of more than can be told');
  });
});
