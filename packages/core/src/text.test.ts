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

  it('cuts long input and counts it', () => {
    expect(quote('x'.repeat(200))).toBe(`\`${'x'.repeat(120)}… (200 characters)\``);
  });
});

describe('nearest', () => {
  it('suggests the closest known word', () => expect(nearest('runer', ['rank', 'runner', 'retry'])).toBe('runner'));
  it('suggests nothing for a word that is far from all', () =>
    expect(nearest('zebra', ['rank', 'runner'])).toBeUndefined());
  it('stays quick on a huge word', () => expect(nearest('x'.repeat(1_000_000), ['runner'])).toBeUndefined());
});
