import { isDeepStrictEqual } from 'node:util';
import { type AST, parseTOML } from 'toml-eslint-parser';
import { joinPath } from './key-path.ts';

type Keys = readonly (string | number)[];

function tablesOf(text: string): readonly AST.TOMLTable[] {
  return parseTOML(text).body[0].body.filter((node) => node.type === 'TOMLTable');
}

/** Puts `block` after the last table below `group`, or at the end; in the line ends of the text. */
export function appendToGroup(text: string, group: string, block: string): string {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const last = tablesOf(text).findLast(({ resolvedKey }) => resolvedKey[0] === group);
  const end = last ? endOfLine(text, last.range[1]) : text.length;
  const before = text.slice(0, end).trimEnd();
  const after = text.slice(end).replace(/^(\r?\n)+/, '');
  const gap = before === '' ? '' : newline + newline;
  const rest = after === '' ? newline : newline + newline + after;
  return before + gap + block.replaceAll('\n', newline) + rest;
}

/** Takes out whole tables, with the comment lines directly above each. */
export function cutTables(text: string, isGone: (keys: Keys) => boolean): string {
  let left = text;
  for (const { range } of tablesOf(text)
    .filter(({ resolvedKey }) => isGone(resolvedKey))
    .reverse()) {
    const start = startWithComments(left, range[0]);
    const end = endOfLine(left, range[1]);
    const before = left.slice(0, start);
    const after = left.slice(end).replace(/^\r?\n/, '');
    left = before + (/(^|\n)\r?\n$/.test(before) ? after.replace(/^(\r?\n)+/, '') : after);
  }
  return left;
}

/**
 * Writes keys of a table that has a header of its own: a value in the place of the old one, a new key behind the others,
 * and the whole line of a key that is `undefined` taken out. Nothing else of the text changes. Undefined where there is
 * no such table, or one of the keys is written in another way.
 */
export function writeKeys(
  text: string,
  path: Keys,
  keys: Readonly<Record<string, string | undefined>>,
): string | undefined {
  return Object.entries(keys).reduce<string | undefined>(
    (edited, [key, value]) => (edited === undefined ? undefined : writeKey(edited, path, key, value)),
    text,
  );
}

function writeKey(text: string, path: Keys, key: string, value: string | undefined): string | undefined {
  const table = tablesOf(text).find(({ resolvedKey }) => isDeepStrictEqual(resolvedKey, path));
  if (table === undefined) return undefined;
  const pair = table.body.find(({ key: written }) => nameOf(written) === key);
  if (pair === undefined) {
    if (value === undefined) return text;
    const end = endOfLine(text, table.body.at(-1)?.range[1] ?? table.key.range[1]);
    const newline = text.includes('\r\n') ? '\r\n' : '\n';
    return `${text.slice(0, end)}${newline}${joinPath('', key)} = ${value}${text.slice(end)}`;
  }
  if (value !== undefined) return text.slice(0, pair.value.range[0]) + value + text.slice(pair.value.range[1]);
  const start = text.lastIndexOf('\n', pair.range[0] - 1) + 1;
  return text.slice(0, start) + text.slice(endOfLine(text, pair.range[1])).replace(/^\r?\n/, '');
}

/** The name of a key of one part; undefined for a dotted one. */
function nameOf({ keys: [first, ...more] }: AST.TOMLKey): string | undefined {
  if (first === undefined || more.length > 0) return undefined;
  return first.type === 'TOMLBare' ? first.name : first.value;
}

/** A comment after the last value belongs to it. */
function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  if (end < 0) return text.length;
  return text[end - 1] === '\r' ? end - 1 : end;
}

function startWithComments(text: string, from: number): number {
  let start = text.lastIndexOf('\n', from - 1) + 1;
  while (start > 0) {
    const above = text.lastIndexOf('\n', start - 2) + 1;
    if (!text.slice(above, start).trimStart().startsWith('#')) break;
    start = above;
  }
  return start;
}
