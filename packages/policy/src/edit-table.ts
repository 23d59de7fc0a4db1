import { patch } from '@decimalturn/toml-patch';
import { quote, WritError } from '@writ/core';
import { firstThatMeans, parseOrThrow, type Table } from './edit-checked.ts';
import { appendToGroup, cutTables, writeKeys } from './edit-tables.ts';
import { joinPath } from './key-path.ts';
import { isTable, tableText, tomlValue } from './toml-text.ts';

/** The value below a path of keys; undefined where there is none. Throws CONFIG_INVALID where the text is no TOML. */
export function readTable(text: string, keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (at, key) => (isTable(at) && Object.hasOwn(at, key) ? at[key] : undefined),
    parseOrThrow(text),
  );
}

/**
 * The text with a table of its own below a path of keys, in place of the one that is there, comments and order of the
 * rest kept. Throws CONFIG_INVALID where the text is no TOML, or holds something else on the way.
 */
export function setTable(text: string, keys: readonly string[], table: Readonly<Table>): string {
  const value = parseOrThrow(text);
  const wanted = withTable(value, keys, table);
  const path = keys.reduce(joinPath, '');
  const isNew = readTable(text, keys) === undefined;
  const append = (): string => appendToGroup(text, keys[0] ?? '', tableText(path, table));
  const replace = (): string => appendToGroup(cut(text, keys), keys[0] ?? '', tableText(path, table));
  return firstThatMeans(wanted, [...(isNew ? [append] : []), () => patch(text, wanted), replace]);
}

/**
 * The text with keys of one table written anew, the other keys as they are; `undefined` takes a key out, and the table with
 * its last one. Throws as `setTable` does.
 */
export function setKeys(text: string, path: readonly string[], keys: Readonly<Table>): string {
  const before = readTable(text, path);
  const merged = { ...(isTable(before) ? before : {}), ...keys };
  const kept = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined));
  if (Object.keys(kept).length === 0) return removeTable(text, path);
  const written = Object.entries(keys).map(([key, value]) => [key, value === undefined ? undefined : tomlValue(value)]);
  const inPlace = (): string => writeKeys(text, path, Object.fromEntries(written)) ?? setTable(text, path, kept);
  return firstThatMeans(withTable(parseOrThrow(text), path, kept), [inPlace, () => setTable(text, path, kept)]);
}

/**
 * The text without the table at a path of keys, and without tables on the way that this leaves empty. Throws NOT_FOUND
 * where there is none, CONFIG_INVALID where the text is no TOML.
 */
export function removeTable(text: string, keys: readonly string[]): string {
  if (readTable(text, keys) === undefined) {
    throw new WritError('NOT_FOUND', `there is no ${quote(keys.join('.'))} in the configuration`);
  }
  const wanted = withoutTable(parseOrThrow(text), keys);
  const shorter = cut(text, keys);
  return firstThatMeans(wanted, [() => shorter, () => patch(shorter, wanted), () => patch(text, wanted)]);
}

function cut(text: string, keys: readonly string[]): string {
  return cutTables(text, (at) => keys.every((key, index) => at[index] === key));
}

function withTable(value: Table, [key = '', ...rest]: readonly string[], table: Readonly<Table>): Table {
  if (rest.length === 0) return { ...value, [key]: table };
  const below = Object.hasOwn(value, key) ? value[key] : {};
  if (!isTable(below)) {
    throw new WritError('CONFIG_INVALID', `${quote(key)} is no table in the configuration`, {
      nextSteps: ['mend it by hand'],
    });
  }
  return { ...value, [key]: withTable(below, rest, table) };
}

function withoutTable(value: Table, [key = '', ...rest]: readonly string[]): Table {
  const { [key]: below, ...others } = value;
  if (rest.length === 0 || !isTable(below)) return others;
  const left = withoutTable(below, rest);
  return Object.keys(left).length === 0 ? others : { ...others, [key]: left };
}
