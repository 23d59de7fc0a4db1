import { describe, expect, it } from 'vitest';
import { canonicalJson, digestJson, sha256Hex } from './json.ts';

describe('canonicalJson', () => {
  it('has one spelling for one value', () => {
    expect(canonicalJson({ b: 1, a: [true, null, 'é'] })).toBe('{"a":[true,null,"é"],"b":1}');
    expect(digestJson({ b: 1, a: 2 })).toBe(digestJson({ a: 2, b: 1 }));
  });

  it('refuses what has no JSON form', () => {
    expect(() => canonicalJson(undefined as never)).toThrow(TypeError);
  });
});

it('sha256Hex is SHA-256 (FIPS 180-4, "abc")', () => {
  expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
