import { isDeepStrictEqual } from 'node:util';
import { WritError } from '@writ/core';
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { holdsComment, putProperty, takeProperty } from './json-edit.ts';
import type { SettingsFormat } from './types.ts';

/** JSON with comments and trailing commas, as editors keep their settings. */
export const jsonSettings: SettingsFormat = {
  read: (text, keys) => keys.reduce<unknown>(below, parseOrThrow(behindMark(text))),
  put: (text, keys, value) =>
    edited(text, (body) => {
      const wanted = withValue(parseOrThrow(body), keys, value);
      if (body.trim() === '') return `${JSON.stringify(wanted, undefined, 2)}\n`;
      return checked(putProperty(body, keys, value), wanted);
    }),
  take: (text, keys) =>
    edited(text, (body) => {
      const before = parseOrThrow(body);
      const path = emptied(body, before, keys);
      return checked(takeProperty(body, path), withoutValue(before, path));
    }),
};

/** What some editors put in front of a text, and what is no JSON. */
const BYTE_ORDER_MARK = '\ufeff';

const behindMark = (text: string): string => (text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);

function edited(text: string, edit: (body: string) => string): string {
  const body = behindMark(text);
  return text.slice(0, text.length - body.length) + edit(body);
}

type Table = Readonly<Record<string, unknown>>;

/** A file that is empty is as good as one with nothing in it. Throws CONFIG_INVALID. */
function parseOrThrow(text: string): Table {
  const errors: ParseError[] = [];
  const value: unknown = text.trim() === '' ? {} : parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) {
    const line = text.slice(0, first.offset).split('\n').length;
    throw invalid(`it is no JSON: ${printParseErrorCode(first.error)} in line ${line}`);
  }
  if (!isTable(value)) throw invalid('it holds no object');
  return value;
}

/** An edit that changed anything else is no edit: a key that is there twice, for instance. */
function checked(text: string, wanted: Table): string {
  if (isDeepStrictEqual(parseOrThrow(text), wanted)) return text;
  throw invalid('it cannot be edited without changing more than this');
}

/** The path to take out: up to the outermost object that would be empty without it, comments being something. */
function emptied(body: string, value: Table, keys: readonly string[]): readonly string[] {
  const holder = keys.slice(0, -1);
  const held = holder.reduce<unknown>(below, value);
  const isAlone = holder.length > 0 && isTable(held) && Object.keys(held).length === 1;
  return isAlone && !holdsComment(body, holder) ? emptied(body, value, holder) : keys;
}

function withValue(at: Table, [key = '', ...rest]: readonly string[], value: Table): Table {
  if (rest.length === 0) return { ...at, [key]: value };
  const next = Object.hasOwn(at, key) ? at[key] : {};
  if (!isTable(next)) throw invalid(`its \`${key}\` is no object`);
  return { ...at, [key]: withValue(next, rest, value) };
}

function withoutValue(at: Table, [key = '', ...rest]: readonly string[]): Table {
  const { [key]: next, ...others } = at;
  return rest.length === 0 || !isTable(next) ? others : { ...at, [key]: withoutValue(next, rest) };
}

function below(at: unknown, key: string): unknown {
  return isTable(at) && Object.hasOwn(at, key) ? at[key] : undefined;
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(why: string): WritError {
  return new WritError('CONFIG_INVALID', why);
}
