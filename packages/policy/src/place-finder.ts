import { parentPath } from './key-path.ts';
import { anyCase } from './places.ts';
import type { Position } from './types.ts';

/** Place of a key path, or of the nearest thing around it that stands in the file. */
export type PlaceFinder = (path: string) => Position | undefined;

/** `lookUp`: what `findPlaces` noted for a path, exactly. */
export function createPlaceFinder(lookUp: (path: string) => Position | undefined): PlaceFinder {
  const asked = new Map<string, Position | undefined>();
  const find: PlaceFinder = (path) => {
    for (let at = path; at !== ''; at = parentPath(at)) {
      const found = lookUp(at) ?? lookUp(anyCase(at));
      if (found) return found;
    }
    return undefined;
  };
  // Explanations ask for the same few places again and again; paths are those of the file and of the schema.
  return (path) => {
    const known = asked.get(path);
    if (known !== undefined || asked.has(path)) return known;
    const found = find(path);
    asked.set(path, found);
    return found;
  };
}
