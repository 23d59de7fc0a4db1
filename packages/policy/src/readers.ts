import { foldName, type LoadCode, nearest, parseDuration, parseSize, quote } from '@writ/core';
import { joinPath } from './key-path.ts';

/** Where readers say what is wrong. */
export type Report = (code: LoadCode, path: string, message: string) => void;

/** Reads one kind of value; undefined after it has reported why it cannot. */
export interface Reader<T> {
  /** As docs/configuration.md names it, for example `duration`. */
  readonly type: string;
  /** The same as JSON Schema; what stands below a table is filled in from `inside`. */
  readonly shape: Readonly<Record<string, unknown>>;
  read(value: unknown, path: string, report: Report): T | undefined;
  /** What stands below, for readers of tables. */
  readonly inside?: { readonly keys: Keys; readonly path: (path: string) => string };
}

/** One key of a table: how it is read, what it means, and what holds where it is not written. */
export interface Key<T> {
  readonly reader: Reader<unknown>;
  readonly meaning: string;
  readonly required: boolean;
  /** As docs/configuration.md shows it; undefined: nothing. */
  readonly shownDefault?: string;
  readonly get: (value: unknown, path: string, report: Report) => T;
}

export type Keys = Readonly<Record<string, Key<unknown>>>;
export type TableOf<K extends Keys> = { readonly [N in keyof K]: K[N] extends Key<infer T> ? T : never };

/** A value together with the key path it was written at. */
export interface Placed<T> {
  readonly path: string;
  readonly value: T;
}

/** A key that has to be there. Undefined only after a violation. */
export function required<T>(reader: Reader<T>, meaning: string): Key<T | undefined> {
  return {
    reader,
    meaning,
    required: true,
    get(value, path, report) {
      if (value !== undefined) return reader.read(value, path, report);
      report('BAD_VALUE', path, `${quote(path)} is missing, write ${reader.type}`);
      return undefined;
    },
  };
}

/** A key that may be left out. */
export function optional<T>(reader: Reader<T>, meaning: string): Key<T | undefined> {
  const get: Key<T | undefined>['get'] = (value, path, report) =>
    value === undefined ? undefined : reader.read(value, path, report);
  return { reader, meaning, required: false, get };
}

/** A key with a default, which also stands in after a violation. */
export function defaulted<T>(reader: Reader<T>, fallback: T, shownDefault: string, meaning: string): Key<T> {
  const get: Key<T>['get'] = (value, path, report) =>
    value === undefined ? fallback : (reader.read(value, path, report) ?? fallback);
  return { reader, meaning, required: false, shownDefault, get };
}

function badValue(report: Report, path: string, value: unknown, wanted: string): undefined {
  const shown = typeof value === 'string' ? quote(value) : `a ${kindOf(value)}`;
  report('BAD_VALUE', path, `${quote(path)} is ${shown}, write ${wanted}`);
  return undefined;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'object' && value !== null) return value instanceof Date ? 'date' : 'table';
  return typeof value;
}

/** A string that `convert` turns into a value; `type` says what is wanted. */
export function text<T>(type: string, convert: (written: string) => T | undefined): Reader<T> {
  return {
    type,
    shape: { type: 'string' },
    read(value, path, report) {
      const converted = typeof value === 'string' ? convert(value) : undefined;
      return converted === undefined ? badValue(report, path, value, type) : converted;
    },
  };
}

/** Like `text`, for what may hold a secret: a violation says `why` it is none, and nothing of what was written. */
export function unshownText<T>(type: string, why: string, convert: (written: string) => T | undefined): Reader<T> {
  return {
    type,
    shape: { type: 'string' },
    read(value, path, report) {
      const converted = typeof value === 'string' ? convert(value) : undefined;
      if (converted === undefined) report('BAD_VALUE', path, `${quote(path)} ${why}, write ${type}`);
      return converted;
    },
  };
}

export const anyText: Reader<string> = text('a text', (written) => (written === '' ? undefined : written));
export const duration: Reader<number> = text('a duration such as "30m"', parseDuration);
export const size: Reader<number> = text('a size such as "8MiB"', parseSize);

/** A name, folded; `BAD_NAME` where it is none. */
export const name: Reader<string> = {
  type: 'a name',
  shape: { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$' },
  read(value, path, report) {
    if (typeof value !== 'string') return badValue(report, path, value, 'a name in quotes');
    return foldOrReport(value, path, report);
  },
};

function foldOrReport(written: string, path: string, report: Report): string | undefined {
  const folded = foldName(written);
  if (folded === undefined) {
    const wanted = 'write 1 to 64 of a-z, 0-9, `.`, `_` and `-`, starting with a letter or digit';
    report('BAD_NAME', path, `${quote(written)} is no name, ${wanted}`);
  }
  return folded;
}

export const flag: Reader<boolean> = {
  type: 'true or false',
  shape: { type: 'boolean' },
  read: (value, path, report) =>
    typeof value === 'boolean' ? value : badValue(report, path, value, 'true or false, without quotes'),
};

/** A whole number from `least` to `most`. */
export function integer(least: number, most: number): Reader<number> {
  const type = `a whole number from ${least} to ${most}`;
  const fits = (value: unknown): value is number => Number.isInteger(value) && inRange(value, least, most);
  const shape = { type: 'integer', minimum: least, maximum: most };
  return { type, shape, read: (value, path, report) => (fits(value) ? value : badValue(report, path, value, type)) };
}

function inRange(value: unknown, least: number, most: number): boolean {
  return typeof value === 'number' && value >= least && value <= most;
}

/** One of a few words. */
export function oneOf<W extends string>(...words: readonly W[]): Reader<W> {
  const type = words.map((word) => `"${word}"`).join(' or ');
  return { ...text(type, (written) => words.find((word) => word === written)), shape: { type: 'string', enum: words } };
}

/** A list; an element that cannot be read is reported and left out. */
export function listOf<T>(element: Reader<T>): Reader<readonly T[]> {
  const type = `a list, each ${element.type}`;
  return {
    type,
    shape: { type: 'array', items: element.shape },
    read(value, path, report) {
      if (!Array.isArray(value)) return badValue(report, path, value, type);
      const read: T[] = [];
      value.forEach((one: unknown, index) => {
        const got = element.read(one, joinPath(path, index), report);
        if (got !== undefined) read.push(got);
      });
      return read;
    },
  };
}

/** As `listOf`, each element with the path it stands at. */
export function placedListOf<T>(element: Reader<T>): Reader<readonly Placed<T>[]> {
  return listOf(placed(element));
}

/** A value together with its path. */
export function placed<T>(reader: Reader<T>): Reader<Placed<T>> {
  return {
    ...reader,
    read(value, path, report) {
      const got = reader.read(value, path, report);
      return got === undefined ? undefined : { path, value: got };
    },
  };
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return kindOf(value) === 'table';
}

/** A table with a closed set of keys. */
export function table<K extends Keys>(keys: K): Reader<TableOf<K>> {
  const entries = Object.entries(keys);
  const known = Object.keys(keys);
  return {
    type: 'a table',
    shape: { type: 'object' },
    inside: { keys, path: (path) => path },
    read(value, path, report) {
      if (!isTable(value)) return badValue(report, path, value, 'a table');
      for (const written of Object.keys(value)) {
        if (!Object.hasOwn(keys, written)) reportUnknownKey(written, known, path, report);
      }
      const prefix = path === '' ? '' : `${path}.`;
      const read: Record<string, unknown> = {};
      for (const [key, { get }] of entries) read[key] = get(ownValue(value, key), prefix + key, report);
      return read as TableOf<K>;
    },
  };
}

function ownValue(record: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function reportUnknownKey(written: string, known: readonly string[], path: string, report: Report): void {
  const near = nearest(written, known);
  const instead = near ? `write ${quote(near)}` : `known here: ${known.join(', ')}`;
  report('UNKNOWN_KEY', joinPath(path, written), `unknown key ${quote(written)}, ${instead}`);
}

/** A table of tables by name: names folded, two that fold alike reported, each with the path as written. */
export function named<T>(of: Reader<T>): Reader<ReadonlyMap<string, Placed<T>>> {
  return {
    type: 'a table by name',
    shape: { type: 'object', additionalProperties: of.shape },
    ...(of.inside ? { inside: { keys: of.inside.keys, path: (path: string) => `${path}.NAME` } } : {}),
    read(value, path, report) {
      if (!isTable(value)) return badValue(report, path, value, 'a table by name');
      const read = new Map<string, Placed<T>>();
      for (const [written, below] of Object.entries(value)) {
        const at = joinPath(path, written);
        const folded = foldOrReport(written, at, report);
        if (folded === undefined) continue;
        const before = read.get(folded);
        if (before)
          report('NAME_CONFLICT', at, `${quote(written)} is the same name as ${quote(before.path)}, rename one`);
        const got = before ? undefined : of.read(below, at, report);
        if (got !== undefined) read.set(folded, { path: at, value: got });
      }
      return read;
    },
  };
}

/** `[[path]]`: a list of tables. */
export function tables<K extends Keys>(keys: K): Reader<readonly Placed<TableOf<K>>[]> {
  return { ...placedListOf(table(keys)), type: 'a list of tables', inside: { keys, path: (path) => `${path}[]` } };
}
