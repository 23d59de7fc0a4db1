import { type AST, parseTOML } from 'toml-eslint-parser';
import { joinPath } from '../key-path.ts';
import type { Position } from '../types.ts';

type Places = Map<string, Position>;

/** Where every key stands, found by another parser. For tests of this package only. */
export function referencePlaces(text: string): ReadonlyMap<string, Position> {
  const places: Places = new Map();
  const implied: Places = new Map();
  for (const node of parseTOML(text).body[0].body) {
    if (node.type === 'TOMLKeyValue') {
      noteKeyValue(places, '', node);
      continue;
    }
    const path = node.resolvedKey.reduce<string>(joinPath, '');
    note(places, path, node.key);
    for (const outer of impliedBy(node.resolvedKey)) note(implied, outer, node.key);
    for (const pair of node.body) noteKeyValue(places, path, pair);
  }
  return new Map([...implied, ...places]);
}

/** Paths of the tables around the one of a header; a list is none. */
function impliedBy(keys: readonly (string | number)[]): readonly string[] {
  const lengths = keys.map((_, at) => at).filter((length) => length > 0 && typeof keys[length] === 'string');
  return lengths.map((length) => keys.slice(0, length).reduce<string>(joinPath, ''));
}

function noteKeyValue(places: Places, table: string, pair: AST.TOMLKeyValue): void {
  let path = table;
  for (const key of pair.key.keys) {
    path = joinPath(path, key.type === 'TOMLBare' ? key.name : key.value);
    note(places, path, key);
  }
  noteContent(places, path, pair.value);
}

function noteContent(places: Places, path: string, content: AST.TOMLContentNode): void {
  if (content.type === 'TOMLInlineTable') {
    for (const pair of content.body) noteKeyValue(places, path, pair);
  } else if (content.type === 'TOMLArray') {
    content.elements.forEach((element, index) => {
      note(places, joinPath(path, index), element);
      noteContent(places, joinPath(path, index), element);
    });
  }
}

function note(places: Places, path: string, { loc: { start } }: { readonly loc: AST.SourceLocation }): void {
  if (!places.has(path)) places.set(path, { line: start.line, column: start.column + 1 });
}
