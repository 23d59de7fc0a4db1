import { describe, expect, it } from 'vitest';
import { lookUpPlace, packPlaces } from './packed-places.ts';
import { anyCase, findPlaces } from './places.ts';
import { RICH } from './testing/golden/rich-config.ts';

const TEXTS: readonly (readonly [name: string, text: string])[] = [
  ['a whole configuration', RICH],
  ['nothing', ''],
  ['one key', 'a = 1\n'],
  ['one key in capitals', 'A = 1\n'],
  ['two spellings on two lines', 'A = 1\na = 2\n'],
  ['two spellings on one line', 'x = { A = 1, a = 2 }\n'],
  ['a key that others begin with', 'a = 1\naa = 2\naaa = 3\nb = 4\n'],
  ['a key that ends with a space', '"a " = 1\n'],
];

describe('places for another thread', () => {
  it.each(TEXTS)('are those that were noted, exactly: %s', (_, text) => {
    const places = findPlaces(text);
    const packed = structuredClone(packPlaces(places));
    for (const [path, place] of places) expect([path, lookUpPlace(packed, path)]).toEqual([path, place]);
  });

  it.each(TEXTS)('are none for a path that was not noted: %s', (_, text) => {
    const places = findPlaces(text);
    const packed = packPlaces(places);
    const near = [...places.keys()].flatMap((path) => [`${path}x`, `x${path}`, `${path} `, path.slice(0, -1)]);
    for (const path of [...near, '', ' ', '!', '~', 'A', ' zz'].filter((one) => !places.has(one))) {
      expect([path, lookUpPlace(packed, path)]).toEqual([path, undefined]);
    }
  });

  it('are kept once for a key in small letters, and twice where the letter case makes a difference', () => {
    const rows = (text: string): number => packPlaces(findPlaces(text)).numbers.length / 3;
    expect(rows('a = 1\nb = 2\n')).toBe(2);
    expect(rows('A = 1\nb = 2\n')).toBe(3);
    expect(rows('A = 1\na = 2\n')).toBe(3);
    expect(lookUpPlace(packPlaces(findPlaces('A = 1\na = 2\n')), anyCase('A'))).toEqual({ line: 1, column: 1 });
  });
});
