import { joinPath } from './key-path.ts';

/** A TOML basic string. */
export function tomlString(value: string): string {
  return JSON.stringify(value).replaceAll('\u007f', '\\u007f');
}

/** A TOML array of strings, on one line. */
export function tomlStrings(values: readonly string[]): string {
  return `[${values.map(tomlString).join(', ')}]`;
}

/** A table with those below it as the text of a configuration: the keys of each in their order, a header for each. */
export function tableText(path: string, table: Readonly<Record<string, unknown>>): string {
  const below = Object.entries(table).filter(([, value]) => isTable(value));
  const own = Object.entries(table).filter(([, value]) => !isTable(value));
  const header = own.length > 0 || below.length === 0 ? [`[${path}]`] : [];
  const parts = below.map(([key, value]) => tableText(joinPath(path, key), value as Record<string, unknown>));
  return [...header, ...own.map(([key, value]) => `${joinPath('', key)} = ${tomlValue(value)}`), ...parts].join('\n');
}

/** A value as TOML writes it, on one line. */
export function tomlValue(value: unknown): string {
  if (typeof value === 'string') return tomlString(value);
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(', ')}]`;
  if (isTable(value)) {
    const pairs = Object.entries(value).map(([key, below]) => `${joinPath('', key)} = ${tomlValue(below)}`);
    return `{ ${pairs.join(', ')} }`;
  }
  return String(value);
}

/** Whether a value of TOML is a table. */
export function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
