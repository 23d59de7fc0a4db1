import { describe, expect, it } from 'vitest';
import { createAutomaton } from './automaton.ts';
import { createKnownSecrets } from './known-secrets.ts';
import { createRedactor } from './redactor.ts';

/** Numbers below `limit`, the same ones each time. */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

const wordOf = (next: (limit: number) => number, length: number): string =>
  Array.from({ length }, () => 'ab!'.charAt(next(3))).join('');

/** Which bytes of a text belong to any of the words, by looking for each at each place. */
function maskOf(text: string, words: readonly string[]): readonly boolean[] {
  const mask = Array.from(text, () => false);
  for (const word of words) {
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) mask.fill(true, at, at + word.length);
  }
  return mask;
}

describe('an automaton', () => {
  it('tells the longest text that ends at each byte, and how much may go on', () => {
    const next = numbers(7);
    for (let round = 0; round < 200; round++) {
      const words = Array.from({ length: 1 + next(6) }, () => wordOf(next, 1 + next(6)));
      const automaton = createAutomaton(words.map((word) => Buffer.from(word)));
      const text = wordOf(next, 60);
      let state = 0;
      for (let end = 1; end <= text.length; end++) {
        state = automaton?.step(state, text.charCodeAt(end - 1)) ?? 0;
        const read = text.slice(0, end);
        const longest = (fits: (word: string, length: number) => boolean): number =>
          Math.max(0, ...words.flatMap((word) => [0, 1, 2, 3, 4, 5, 6].filter((length) => fits(word, length))));
        expect(automaton?.endedAt(state)).toBe(
          longest((word, length) => length === word.length && read.endsWith(word)),
        );
        expect(automaton?.depthOf(state)).toBe(
          longest((word, length) => length < word.length && length > 0 && read.endsWith(word.slice(0, length))),
        );
      }
    }
    expect(createAutomaton([])).toBeUndefined();
  });
});

describe('a redactor of many secrets', () => {
  it('leaves every byte that is of none, and no byte that is of one, however the stream is cut', () => {
    const next = numbers(11);
    for (let round = 0; round < 300; round++) {
      const words = Array.from({ length: 1 + next(4) }, () => wordOf(next, 6 + next(5)));
      const redactor = createRedactor(createKnownSecrets(words.map((word) => Buffer.from(word))).sought);
      const text = wordOf(next, 80);
      let out = '';
      for (let at = 0; at < text.length; ) {
        const length = 1 + next(9);
        out += redactor.push(Buffer.from(text.slice(at, at + length))).toString();
        at += length;
      }
      out += redactor.flush().toString();
      const mask = maskOf(text, words);
      const left = Array.from(text).filter((_, at) => !mask[at]);
      expect(out.replaceAll('[redacted]', ''), words.join()).toBe(left.join(''));
    }
  });
});
