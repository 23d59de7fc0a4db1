import { describe, expect, it } from 'vitest';
import { canonicalJson, digestJson, readCanonicalJson, sha256Hex } from './json.ts';

describe('canonicalJson', () => {
  it('has one spelling for one value', () => {
    expect(canonicalJson({ b: 1, a: [true, null, 'é'] })).toBe('{"a":[true,null,"é"],"b":1}');
    expect(digestJson({ b: 1, a: 2 })).toBe(digestJson({ a: 2, b: 1 }));
  });

  it('refuses what has no JSON form', () => {
    expect(() => canonicalJson(undefined as never)).toThrow(TypeError);
  });
});

describe('readCanonicalJson', () => {
  it('reads the one spelling of a value', () => {
    expect(readCanonicalJson(Buffer.from('{"a":[1,"é"],"b":null}'))).toEqual({ a: [1, 'é'], b: null });
    // As the standard orders them, and not as JavaScript does.
    expect(readCanonicalJson(Buffer.from('{"10":1,"2":1}'))).toEqual({ '2': 1, '10': 1 });
    expect(readCanonicalJson(Buffer.from('"\\\\ud800"'))).toBe('\\ud800');
  });

  it.each([
    ['a key twice', '{"a":1,"a":1}'],
    ['a key twice further in', '{"a":{"b":2,"b":1}}'],
    ['another order', '{"b":1,"a":1}'],
    ['space', '{"a": 1}'],
    ['an end of line', '{"a":1}\n'],
    ['a byte order mark', '\u{feff}{"a":1}'],
    ['a letter escaped', '{"\\u0061":1}'],
    ['a number spelled another way', '{"a":1.0}'],
    ['a number that is read as another', '{"a":9007199254740993}'],
    ['another order further in', '[{"a":[{"b":1,"a":2}]}]'],
    ['keys in the order of numbers', '{"2":1,"10":1}'],
    ['a zero below zero', '-0'],
    ['a number without end', '1e999'],
    ['no JSON', '{"a":'],
    ['nothing', ''],
  ])('reads nothing from one with %s', (_, text) => {
    expect(readCanonicalJson(Buffer.from(text))).toBeUndefined();
  });

  it('reads nothing from bytes that are no UTF-8', () => {
    expect(readCanonicalJson(Buffer.from('"\xff"', 'latin1'))).toBeUndefined();
  });
});

it('sha256Hex is SHA-256 (FIPS 180-4, "abc")', () => {
  expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
