import { parse, TomlError } from 'smol-toml';
import { type AST, parseTOML } from 'toml-eslint-parser';
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
    const asked = new Map<string, Position | undefined>();
    const find = (path: string): Position | undefined => {
      places ??= findPlaces(text);
      for (let at = path; at !== ''; at = parentPath(at)) {
        const found = places.get(at) ?? places.get(anyCase(at));
        if (found) return found;
      }
      return undefined;
    };
    // Explanations ask for the same few places again and again; paths are those of the file and of the schema.
    const position = (path: string): Position | undefined => {
      const known = asked.get(path);
      if (known !== undefined || asked.has(path)) return known;
      const found = find(path);
      asked.set(path, found);
      return found;
    };
    return { ok: true, source: { text, value, position } };
  } catch (error) {
    return { ok: false, failure: syntaxFailure(error) };
  }
}

function syntaxFailure(error: unknown): SyntaxFailure {
  if (!(error instanceof TomlError)) return { message: 'this is no TOML text' };
  const first = error.message.split('\n')[0] ?? '';
  const message = first.replace(/^Invalid TOML document: /, '').toLowerCase();
  return { message, position: { line: error.line, column: error.column } };
}

/** `path` with one more key; a key that is not bare is quoted as TOML does. */
export function joinPath(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  const written = /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key);
  return path === '' ? written : `${path}.${written}`;
}

/** `path` without its last key or index; empty at the top. */
function parentPath(path: string): string {
  if (path.endsWith(']')) return path.slice(0, path.lastIndexOf('['));
  if (path.endsWith('"')) {
    const quoted = /^(.*?)\.?"(?:[^"\\]|\\.)*"$/.exec(path);
    return quoted?.[1] ?? '';
  }
  const dot = path.lastIndexOf('.');
  return dot < 0 ? '' : path.slice(0, dot);
}

function findPlaces(text: string): ReadonlyMap<string, Position> {
  const places = new Map<string, Position>();
  const root = parseTolerantly(text)?.body[0];
  for (const node of root?.body ?? []) {
    if (node.type === 'TOMLKeyValue') {
      noteKeyValue(places, '', node);
      continue;
    }
    const path = pathOf(node.resolvedKey);
    note(places, path, node.key);
    for (const pair of node.body) noteKeyValue(places, path, pair);
  }
  return places;
}

/** Places are a service: where this parser refuses what the other one took, messages come without them. */
function parseTolerantly(text: string): AST.TOMLProgram | undefined {
  try {
    return parseTOML(text);
  } catch {
    return undefined;
  }
}

function noteKeyValue(places: Map<string, Position>, table: string, pair: AST.TOMLKeyValue): void {
  let path = table;
  for (const key of pair.key.keys) {
    path = joinPath(path, key.type === 'TOMLBare' ? key.name : key.value);
    note(places, path, key);
  }
  noteContent(places, path, pair.value);
}

function noteContent(places: Map<string, Position>, path: string, content: AST.TOMLContentNode): void {
  if (content.type === 'TOMLInlineTable') {
    for (const pair of content.body) noteKeyValue(places, path, pair);
  } else if (content.type === 'TOMLArray') {
    content.elements.forEach((element, index) => {
      note(places, joinPath(path, index), element);
      noteContent(places, joinPath(path, index), element);
    });
  }
}

function pathOf(keys: readonly (string | number)[]): string {
  return keys.reduce<string>(joinPath, '');
}

/** Key of a path in any letter case; no path begins with a space. */
function anyCase(path: string): string {
  return ` ${path.toLowerCase()}`;
}

/**
 * The first place wins: a dotted key may name a table that stands further up. Rules speak of names as folded, so that
 * a path is also noted apart, whatever its letter case.
 */
function note(places: Map<string, Position>, path: string, node: { readonly loc: AST.SourceLocation }): void {
  const place = { line: node.loc.start.line, column: node.loc.start.column + 1 };
  for (const spelling of [path, anyCase(path)]) if (!places.has(spelling)) places.set(spelling, place);
}
