import type { Position } from './types.ts';

/**
 * The places of a text in a few large pieces, in the order of their paths: handed to another thread as they are, where a
 * map of as many entries would have to be built anew.
 */
export interface PackedPlaces {
  /** All paths, one behind the other. */
  readonly paths: string;
  /** For each path where it ends in `paths`, its line and its column. */
  readonly numbers: Uint32Array;
}

const ROW = 3;

export function packPlaces(places: ReadonlyMap<string, Position>): PackedPlaces {
  // Nearly every key is written in small letters, so that its place in any letter case is no other.
  const isOwn = (path: string): boolean =>
    !path.startsWith(' ') || !isSame(places.get(path), places.get(path.slice(1)));
  const sorted = [...places.keys()].filter(isOwn).sort();
  const numbers = new Uint32Array(sorted.length * ROW);
  let end = 0;
  sorted.forEach((path, at) => {
    end += path.length;
    const { line = 0, column = 0 } = places.get(path) ?? {};
    numbers.set([end, line, column], at * ROW);
  });
  return { paths: sorted.join(''), numbers };
}

function isSame(a: Position | undefined, b: Position | undefined): boolean {
  return a?.line === b?.line && a?.column === b?.column;
}

/** What `findPlaces` noted for exactly this path. */
export function lookUpPlace(packed: PackedPlaces, path: string): Position | undefined {
  return search(packed, path) ?? (path.startsWith(' ') ? search(packed, path.slice(1)) : undefined);
}

function search({ paths, numbers }: PackedPlaces, path: string): Position | undefined {
  let low = 0;
  let high = numbers.length / ROW;
  while (low < high) {
    const middle = (low + high) >> 1;
    const found = paths.slice(numbers[(middle - 1) * ROW] ?? 0, numbers[middle * ROW]);
    if (found === path) return { line: numbers[middle * ROW + 1] ?? 0, column: numbers[middle * ROW + 2] ?? 0 };
    if (found < path) low = middle + 1;
    else high = middle;
  }
  return undefined;
}
