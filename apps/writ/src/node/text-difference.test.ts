import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textDifference } from './text-difference.ts';

describe('the difference of two texts', () => {
  it('shows what goes and comes, with what is around it', () => {
    const before = 'a\nb\nc\nd\ne\nf\ng\nx\nh\ni\nj\n';
    expect(textDifference(before, before)).toBe('');
    expect(textDifference(before, before.replace('e', 'E').replace('j', 'J'))).toBe(
      ' c\n d\n-e\n+E\n f\n g\n…\n h\n i\n-j\n+J\n ',
    );
    expect(textDifference('a\n', 'a\nb\n')).toBe(' a\n+b\n ');
  });

  it('holds every line that differs, and only such with a sign', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = textDifference(before, after).split('\n');
        const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length;
        expect(count('+') - count('-')).toBe(
          before === after ? 0 : after.split('\n').length - before.split('\n').length,
        );
      }),
      { seed: 7, numRuns: 300 },
    );
  });
});
