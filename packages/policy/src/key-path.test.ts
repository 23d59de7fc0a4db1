import { describe, expect, it } from 'vitest';
import { joinPath, parentPath } from './key-path.ts';

const KEYS = ['a', 'a-b_C1', '', 'd e', 'a.b', 'a[1]', ']', '"', '\\', 'x"."y', '\u2028', '.', "'"];

describe('a key path', () => {
  it.each([
    ['', 'a', 'a'],
    ['a', 'b-c_D9', 'a.b-c_D9'],
    ['a', 0, 'a[0]'],
    ['a[0]', 'b', 'a[0].b'],
    ['a', '', 'a.""'],
    ['a', ' b', 'a." b"'],
    ['a', 'b ', 'a."b "'],
    ['', 'a.b', '"a.b"'],
    ['a', 'b"c', 'a."b\\"c"'],
  ])('%j with %j is %j: what is not bare is quoted', (path, key, joined) => {
    expect(joinPath(path, key)).toBe(joined);
  });

  it('leads back one key or index at a time, whatever the keys are', () => {
    for (const first of KEYS) {
      const top = joinPath('', first);
      expect(parentPath(top), top).toBe('');
      for (const second of [...KEYS, 0, 12]) {
        const path = joinPath(top, second);
        expect(parentPath(path), path).toBe(top);
        expect(parentPath(joinPath(path, 'last')), path).toBe(path);
      }
    }
  });

  it.each(['"', 'a"', '.', 'a.', ']', 'a]'])('gets shorter also where it is none: %j', (path) => {
    expect(parentPath(path).length).toBeLessThan(path.length);
  });
});
