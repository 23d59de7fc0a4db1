import { describe, expect, it } from 'vitest';
import { createPlaceFinder } from './place-finder.ts';
import type { Position } from './types.ts';

const IN_A: Position = { line: 1, column: 1 };
const IN_B: Position = { line: 2, column: 3 };

/** A finder over a few noted places, and every path that it looked up. */
function finder(noted: Readonly<Record<string, Position>>) {
  const lookedUp: string[] = [];
  const find = createPlaceFinder((path) => {
    lookedUp.push(path);
    return noted[path];
  });
  return { find, lookedUp };
}

describe('the place of a key path', () => {
  it('is its own, then that in any letter case, then that of what is around it', () => {
    const { find } = finder({ a: IN_A, 'a.b': IN_B, ' c': IN_B });
    expect(find('a.b')).toBe(IN_B);
    expect(find('a.b.c[0]."d e"')).toBe(IN_B);
    expect(find('a.x.y')).toBe(IN_A);
    expect(find('C')).toBe(IN_B);
  });

  it('is none where nothing around it is noted, and none for the whole file', () => {
    const { find } = finder({ a: IN_A, '': IN_B });
    expect(find('b.c')).toBeUndefined();
    expect(find('')).toBeUndefined();
  });

  it('is looked for once, also where there is none', () => {
    const { find, lookedUp } = finder({ a: IN_A });
    for (const path of ['a', 'b']) {
      const first = find(path);
      const before = lookedUp.length;
      expect(find(path)).toBe(first);
      expect(lookedUp).toHaveLength(before);
    }
    expect(lookedUp).toEqual(['a', 'b', ' b']);
  });
});
