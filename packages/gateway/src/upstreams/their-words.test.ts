import { expect, it } from 'vitest';
import { theirWords } from './their-words.ts';

it('says what failed in a sentence, and none of the dump of a checker', () => {
  const dump = JSON.stringify([{ expected: 'array', path: ['tools'] }], undefined, 2);
  expect(theirWords(new Error(`Invalid result for tools/list: ${dump}`), 300)).toBe('Invalid result for tools/list');
});

it('makes everything else visible, and cuts it', () => {
  expect(theirWords(new Error('one\ntwo'), 300)).toBe('one\\u{a}two');
  expect(theirWords('x'.repeat(20), 5)).toBe('xxxxx');
});

it('takes no longer for words that a server made as long as it could', () => {
  const costMs = (length: number): number => {
    const error = new Error(`a${' '.repeat(length)}![`);
    const tries = [1, 2, 3].map(() => {
      const beganMs = performance.now();
      theirWords(error, 300);
      return performance.now() - beganMs;
    });
    return Math.min(...tries);
  };
  // The square of the length would be a hundred times as much, and a second.
  const small = costMs(3000);
  expect(costMs(30_000)).toBeLessThan(Math.max(10 * small, 20));
});
