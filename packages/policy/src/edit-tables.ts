import { type AST, parseTOML } from 'toml-eslint-parser';

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
