import { isDeepStrictEqual } from 'node:util';
import { WritError } from '@writ/core';
import { applyEdits, modify, type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import type { SettingsFormat } from './types.ts';

/** JSON with comments and trailing commas, as editors keep their settings. */
export const jsonSettings: SettingsFormat = {
  read: (text, keys) => keys.reduce<unknown>(below, parseOrThrow(text)),
  put(text, keys, value) {
    const wanted = withValue(parseOrThrow(text), keys, value);
    return checked(edit(text, keys, value), wanted);
  },
  take(text, keys) {
    const before = parseOrThrow(text);
    const path = emptied(before, keys);
    return checked(edit(text, path, undefined), withoutValue(before, path));
  },
};

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

function edit(text: string, keys: readonly string[], value: Table | undefined): string {
  const edits = modify(text, [...keys], value, { formattingOptions: formatOf(text) });
  const edited = applyEdits(text, edits);
  return edited.endsWith('\n') || text !== '' ? edited : `${edited}\n`;
}

/** Indented and ended as the lines that are there. */
function formatOf(text: string) {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
  return { insertSpaces: !indent.includes('\t'), tabSize: indent.length, eol: text.includes('\r\n') ? '\r\n' : '\n' };
}

/** An edit that changed anything else is no edit: a key that is there twice, for instance. */
function checked(text: string, wanted: Table): string {
  if (isDeepStrictEqual(parseOrThrow(text), wanted)) return text;
  throw invalid('it cannot be edited without changing more than this');
}

/** The path to take out: up to the outermost object that would be empty without it. */
function emptied(value: Table, keys: readonly string[]): readonly string[] {
  const holder = keys.slice(0, -1);
  const held = holder.reduce<unknown>(below, value);
  return holder.length > 0 && isTable(held) && Object.keys(held).length === 1 ? emptied(value, holder) : keys;
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
