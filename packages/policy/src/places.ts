import { parse } from 'smol-toml';
import { joinPath } from './key-path.ts';
import type { Position } from './types.ts';

/**
 * Where every key, element and table header of a TOML text stands, by its key path. One pass over a text that a parser
 * has taken already: what is no TOML gives places that mean nothing, and never an endless loop.
 */
export function findPlaces(text: string): ReadonlyMap<string, Position> {
  const scan: Scan = { text, at: 0, line: 1, lineStart: 0, places: new Map(), lists: new Map(), implied: new Map() };
  let table = '';
  while (skipBlank(scan)) {
    if (text[scan.at] === '[') table = readHeader(scan);
    else readPair(scan, table);
  }
  for (const [path, place] of scan.implied) noteAt(scan, path, place);
  return scan.places;
}

/** Key of a path in any letter case; no path begins with a space. */
export function anyCase(path: string): string {
  return ` ${path.toLowerCase()}`;
}

interface Scan {
  readonly text: string;
  at: number;
  line: number;
  /** Where the line begins. */
  lineStart: number;
  readonly places: Map<string, Position>;
  /** How many tables each `[[list]]` has so far. */
  readonly lists: Map<string, number>;
  /** Tables that a header names in passing, where it does so first. */
  readonly implied: Map<string, Position>;
}

/**
 * The first place wins: a dotted key may name a table that stands further up. Rules speak of names as folded, so that
 * a path is also noted apart, whatever its letter case.
 */
function note(scan: Scan, path: string): void {
  noteAt(scan, path, { line: scan.line, column: scan.at - scan.lineStart + 1 });
}

function noteAt(scan: Scan, path: string, place: Position): void {
  for (const spelling of [path, anyCase(path)]) if (!scan.places.has(spelling)) scan.places.set(spelling, place);
}

/** Goes to the next thing that is neither space nor comment; false at the end of the text. */
function skipBlank(scan: Scan): boolean {
  const { text } = scan;
  for (; scan.at < text.length; scan.at++) {
    const character = text[scan.at];
    if (character === '\n') startLine(scan);
    else if (character === '#') scan.at = endOfLine(scan) - 1;
    else if (character !== ' ' && character !== '\t' && character !== '\r' && character !== '\ufeff') return true;
  }
  return false;
}

function startLine(scan: Scan): void {
  scan.line++;
  scan.lineStart = scan.at + 1;
}

function endOfLine({ text, at }: Scan): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

/** `[a.b]` or `[[a.b]]`: the path of the table that begins here. */
function readHeader(scan: Scan): string {
  const isList = scan.text[scan.at + 1] === '[';
  scan.at += isList ? 2 : 1;
  skipBlank(scan);
  const place = { line: scan.line, column: scan.at - scan.lineStart + 1 };
  const keys = readKey(scan);
  let path = '';
  keys.forEach((key, index) => {
    path = joinPath(path, key);
    const isLast = index === keys.length - 1;
    if (isLast && isList) scan.lists.set(path, (scan.lists.get(path) ?? 0) + 1);
    const count = scan.lists.get(path);
    if (count !== undefined) path = joinPath(path, count - 1);
    if (!isLast && !scan.implied.has(path)) scan.implied.set(path, place);
  });
  noteAt(scan, path, place);
  scan.at = endOfLine(scan);
  return path;
}

/** `key = value` below a table. */
function readPair(scan: Scan, table: string): void {
  let path = table;
  readKey(scan, (key) => {
    path = joinPath(path, key);
    note(scan, path);
  });
  scan.at++;
  readValue(scan, path);
}

/** The parts of a dotted key, each told before it is passed; ends in front of what follows. */
function readKey(scan: Scan, told?: (key: string) => void): readonly string[] {
  const keys: string[] = [];
  while (skipBlank(scan)) {
    const end = endOfKey(scan);
    const written = scan.text.slice(scan.at, end);
    const key = unquoted(written);
    told?.(key);
    keys.push(key);
    scan.at = end;
    skipBlank(scan);
    if (scan.text[scan.at] !== '.') break;
    scan.at++;
  }
  return keys;
}

function endOfKey(scan: Scan): number {
  const { text, at } = scan;
  if (text[at] === '"' || text[at] === "'") return endOfString(text, at);
  let end = at;
  while (isBare(text.charCodeAt(end))) end++;
  return Math.max(end, at + 1);
}

/** Letters, digits, `-` and `_`. */
function isBare(code: number): boolean {
  const letter = code | 32;
  return (letter >= 97 && letter <= 122) || (code >= 48 && code <= 57) || code === 45 || code === 95;
}

function unquoted(written: string): string {
  if (!/^["']/.test(written)) return written;
  if (!written.includes('\\') || written.startsWith("'")) return written.slice(1, -1);
  return Object.keys(parse(`${written} = 1`))[0] ?? '';
}

/** Place behind a string of any of the four kinds. */
function endOfString(text: string, from: number): number {
  const mark = text[from] ?? '"';
  const isLong = text.startsWith(mark.repeat(3), from);
  const close = isLong ? mark.repeat(3) : mark;
  for (let at = from + close.length; at < text.length; at++) {
    if (mark === '"' && text[at] === '\\') at++;
    else if (text.startsWith(close, at)) return closing(text, at, close, mark);
  }
  return text.length;
}

/** A long string may end with one or two marks of its own; behind any other string there is never one. */
function closing(text: string, end: number, close: string, mark: string): number {
  let after = end + close.length;
  while (text[after] === mark) after++;
  return after;
}

function readValue(scan: Scan, path: string): void {
  if (!skipBlank(scan)) return;
  const first = scan.text[scan.at];
  if (first === '[') readList(scan, path);
  else if (first === '{') readInline(scan, path);
  else if (first === '"' || first === "'") passString(scan);
  else passWord(scan);
}

function passString(scan: Scan): void {
  const end = endOfString(scan.text, scan.at);
  for (; scan.at < end; scan.at++) if (scan.text[scan.at] === '\n') startLine(scan);
}

function passWord(scan: Scan): void {
  const { text } = scan;
  while (scan.at < text.length && !',]}#\n'.includes(text[scan.at] ?? '')) scan.at++;
}

function readList(scan: Scan, path: string): void {
  scan.at++;
  for (let index = 0; skipBlank(scan) && scan.text[scan.at] !== ']'; index++) {
    const element = joinPath(path, index);
    note(scan, element);
    readValue(scan, element);
    passComma(scan);
  }
  scan.at++;
}

function readInline(scan: Scan, path: string): void {
  scan.at++;
  while (skipBlank(scan) && scan.text[scan.at] !== '}') {
    readPair(scan, path);
    passComma(scan);
  }
  scan.at++;
}

function passComma(scan: Scan): void {
  if (skipBlank(scan) && scan.text[scan.at] === ',') scan.at++;
}
