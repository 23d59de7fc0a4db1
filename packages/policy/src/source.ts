import { parse, TomlError } from 'smol-toml';
import { createPlaceFinder } from './place-finder.ts';
import { findPlaces } from './places.ts';
import type { Position } from './types.ts';

/** A configuration text with its values and the place of every key. */
interface Source {
  readonly text: string;
  readonly value: Readonly<Record<string, unknown>>;
  /**
   * Place of a key path, or of the nearest thing around it that stands in the file. The first call reads the text a
   * second time: values are needed at every load, places only for violations and explanations.
   */
  position(path: string): Position | undefined;
}

/** Parsing went wrong at one place; TOML parsers stop at the first. */
interface SyntaxFailure {
  readonly message: string;
  readonly position?: Position;
}

/** A run of dotted key parts that no configuration has; parsers take quadratic time for one that is long enough. */
const ENDLESS_KEY = /(?<![\w.-])(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')\.){64}/;

/** Values and places of a TOML text. */
export function readSource(text: string): { ok: true; source: Source } | { ok: false; failure: SyntaxFailure } {
  const endless = ENDLESS_KEY.exec(text);
  if (endless) {
    const line = text.slice(0, endless.index).split('\n').length;
    return { ok: false, failure: { message: 'a key has more than 64 parts', position: { line, column: 1 } } };
  }
  try {
    const value = parse(text);
    let places: ReadonlyMap<string, Position> | undefined;
    const position = createPlaceFinder((path) => {
      places ??= findPlaces(text);
      return places.get(path);
    });
    return { ok: true, source: { text, value, position } };
  } catch (error) {
    return { ok: false, failure: syntaxFailure(error) };
  }
}

function syntaxFailure(error: unknown): SyntaxFailure {
  if (!(error instanceof TomlError)) return { message: 'this is no TOML text' };
  // Its message goes on with a picture of the lines around.
  const first = error.message.replace(/\n.*/s, '');
  const message = first.replace(/^Invalid TOML document: /, '').toLowerCase();
  return { message, position: { line: error.line, column: error.column } };
}
