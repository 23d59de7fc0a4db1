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

  it.each([
    ...['\u3164', '\u115f', '\u1160', '\uffa0', '\u2800', '\u{1d159}', '\u{13441}', '\ufffc'],
    ...['\u034f', '\u180b', '\ufe0f', '\u{e0100}', '\u00ad', '\u17b4', '\u{e0041}', '\ue000', '\u{10ffff}'],
    ...['\u00a0', '\u1680', '\u2003', '\u202f', '\u205f', '\u3000', '\u200b', '\u2060', '\ufeff', '\u061c'],
    ...['\u0338', '\u0336', '\u20dd', '\u20e0'],
  ])('writes out %j, which is a gap, or nothing, or lies over a letter', (char) => {
    expect(visible(`a${char}b`)).toBe(`a\\u{${char.codePointAt(0)?.toString(16)}}b`);
  });

  it.each([
    ['=\u0301', '=\\u{301}'],
    ['\u0301a', '\\u{301}a'],
    [' \u0301', ' \\u{301}'],
    ['a\u200b\u0301', 'a\\u{200b}\\u{301}'],
    ['a\u0338\u0301', 'a\\u{338}\\u{301}'],
    ['\u3164\u0301', '\\u{3164}\\u{301}'],
    ['a\u0301\u0302\u0303\u0304\u0305\u0306', 'a\u0301\u0302\u0303\u0304\\u{305}\\u{306}'],
  ])('writes out a mark that has nothing to stand on, or is one too many: %j', (text, shown) => {
    expect(visible(text)).toBe(shown);
    expect(visible(shown)).toBe(shown);
  });

  it.each([
    ...['Grüße', 'e\u0301te\u0301', 'Tiếng Việt', 'Ελληνικά', 'Привет', 'שָׁלוֹם', 'العَرَبِيَّة', 'हिन्दी', 'বাংলা'],
    ...['தமிழ்', 'ไทยที่นี่', 'བོད་སྐད', 'ខ្មែរ', '漢字かな交じり、全角（１）', 'が', '한국어', '한', 'አማርኛ', '𝒜 ½ ≠ → ⠿ 🙂'],
  ])('leaves %s as it is read', (text) => expect(visible(text)).toBe(text));

  it('takes no longer for a text of nothing but marks', () => {
    expect(visible('\u0301'.repeat(65_536))).toHaveLength(7 * 65_536);
  });
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
