import { describe, expect, it } from 'vitest';
import { nearest, quote, visible } from './text.ts';

describe('visible', () => {
  it.each([
    ['a\u001b[31mb', 'a\\u{1b}[31mb'],
    ['a\u202eb', 'a\\u{202e}b'],
    ['a\u200bb', 'a\\u{200b}b'],
    ['line\nline', 'line\\u{a}line'],
    ['grüße 漢字 🙂', 'grüße 漢字 🙂'],
  ])('shows %j as %j', (text, shown) => expect(visible(text)).toBe(shown));
});

describe('quote', () => {
  it('keeps user input inside its backticks', () => {
    expect(quote('a`b')).toBe('`a\\u{60}b`');
  });

  it('leaves plain input as it is, and shows what hides or moves', () => {
    expect(quote('')).toBe('``');
    expect(quote('Repo-Dev_1 ~')).toBe('`Repo-Dev_1 ~`');
    expect(quote('a\u001bb\u202ec')).toBe('`a\\u{1b}b\\u{202e}c`');
    expect(quote('é')).toBe('`é`');
    expect(quote('b\\u{202e}c')).toBe('`b\\u{5c}u{202e}c`');
  });

  it('is cut from a hundred and twenty-one characters on', () => {
    expect(quote('x'.repeat(120))).toBe(`\`${'x'.repeat(120)}\``);
    expect(quote('é'.repeat(120))).toBe(`\`${'é'.repeat(120)}\``);
    expect(quote('x'.repeat(121))).toBe(`\`${'x'.repeat(120)}… (121 characters)\``);
  });

  it('cuts long input and counts it', () => {
    expect(quote('x'.repeat(200))).toBe(`\`${'x'.repeat(120)}… (200 characters)\``);
  });
});

describe('nearest', () => {
  it('suggests the closest known word', () => expect(nearest('runer', ['rank', 'runner', 'retry'])).toBe('runner'));
  it('suggests the first of two that are as close, and a better one wherever it stands', () => {
    expect(nearest('ab', ['aa', 'bb'])).toBe('aa');
    expect(nearest('runner', ['runners', 'runner'])).toBe('runner');
    expect(nearest('runner', ['runner', 'runners'])).toBe('runner');
  });
  it.each([
    ['a', 'b', true],
    ['', 'a', true],
    ['', 'ab', false],
    ['xbc', 'abc', true],
    ['xyc', 'abc', false],
    ['abcdxx', 'abcdef', true],
    ['abcxxx', 'abcdef', false],
    ['bacdef', 'abcdef', true],
    ['def', 'abcdef', false],
    ['cdef', 'abcdef', true],
    ['abcdefgh', 'abcdef', true],
    ['abcdefghi', 'abcdef', false],
  ])('of %j, a third of %j may be wrong and one letter always: %s', (word, known, isNear) =>
    expect(nearest(word, [known])).toBe(isNear ? known : undefined),
  );
  it('suggests nothing for a word that is far from all', () =>
    expect(nearest('zebra', ['rank', 'runner'])).toBeUndefined());
  it('stays quick on a huge word', () => expect(nearest('x'.repeat(1_000_000), ['runner'])).toBeUndefined());
});
