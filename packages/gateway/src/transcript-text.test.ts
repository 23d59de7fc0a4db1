import { describe, expect, it } from 'vitest';
import { logReference, transcriptText } from './transcript-text.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text, 'utf8');

describe('transcriptText', () => {
  it('keeps lines and tabs and writes other control characters out', () => {
    expect(transcriptText(bytes('a\tb\r\n\u001b[31mred\u202e'), true).text).toBe('a\tb\\u{d}\n\\u{1b}[31mred\\u{202e}');
  });

  it('replaces what is no UTF-8', () => {
    expect(transcriptText(Uint8Array.of(0x61, 0xff, 0x62), true)).toEqual({ text: 'a\u{fffd}b', usedBytes: 3 });
  });

  it('gives every cut of a text back whole, page by page', () => {
    const text = 'aé漢🎉z'.repeat(3);
    const all = bytes(text);
    for (let limit = 1; limit <= all.length; limit++) {
      let joined = '';
      for (let at = 0; at < all.length; ) {
        const page = all.subarray(at, at + Math.max(limit, 4));
        const { text: part, usedBytes } = transcriptText(page, at + page.length >= all.length);
        expect(usedBytes).toBeGreaterThan(0);
        joined += part;
        at += usedBytes;
      }
      expect(joined).toBe(text);
    }
  });

  it('goes on past a character that will never be whole', () => {
    expect(transcriptText(Uint8Array.of(0xf0, 0x9f), false).usedBytes).toBe(2);
    expect(transcriptText(Uint8Array.of(0x61, 0xf0, 0x9f), true)).toMatchObject({ usedBytes: 3 });
  });

  it('keeps a byte order mark, which is a format character, visible', () => {
    expect(transcriptText(bytes('\ufeffx'), true).text).toBe('\\u{feff}x');
  });
});

it('refers to a place in a log in one form', () => {
  expect(logReference('t-1', 42)).toBe('log:t-1#42');
});
