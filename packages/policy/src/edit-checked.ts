import { isDeepStrictEqual } from 'node:util';
import { WritError } from '@writ/core';
import { parse } from 'smol-toml';
import { isTable } from './toml-text.ts';

/** A table of a configuration, as a parser gives it. */
export type Table = Record<string, unknown>;

/** The tables of a text. Throws CONFIG_INVALID where it is no TOML. */
export function parseOrThrow(text: string): Table {
  try {
    return parse(text);
  } catch (cause) {
    throw new WritError('CONFIG_INVALID', 'the configuration is no TOML', {
      cause,
      nextSteps: ['writ policy validate'],
    });
  }
}

/**
 * The first edit whose text reads back as exactly what is wanted: an edit that changed anything else is no edit.
 * Throws CONFIG_INVALID where none does.
 */
export function firstThatMeans(wanted: Table, edits: readonly (() => string)[]): string {
  for (const edit of edits) {
    const text = tryEdit(edit);
    if (text !== undefined && isDeepStrictEqual(plain(tryParse(text)), plain(wanted))) return text;
  }
  throw new WritError('CONFIG_INVALID', 'the configuration cannot be edited without changing more than was asked for', {
    nextSteps: ['edit it by hand, then run: writ policy reload --accept'],
  });
}

function tryEdit(edit: () => string): string | undefined {
  try {
    return edit();
  } catch {
    return undefined;
  }
}

function tryParse(text: string): Table | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** Tables of different parsers compare by content; an empty table of peers or tests is as good as none. */
function plain(value: Table | undefined): unknown {
  if (!value) return undefined;
  const copy: Table = structuredClone(value);
  for (const key of ['peers', 'tests']) {
    if (isTable(copy[key]) && Object.keys(copy[key]).length === 0) delete copy[key];
  }
  return JSON.parse(JSON.stringify(copy));
}

/** The table below a key; an empty one where there is none. */
export function tableAt(value: Table, key: string): Table {
  const below = Object.hasOwn(value, key) ? value[key] : undefined;
  return isTable(below) ? below : {};
}
