import { canonicalJson, type Json } from '@writ/core';
import type { AuditRow } from '@writ/database';
import { leafHash } from './merkle/hashing.ts';

/** What a line holds besides printable ASCII is written as `\uXXXX`: nothing in it can move a cursor or hide. */
const NOT_PLAIN = /[^ -~]/g;

/** The one spelling of a row (RFC 8785): the bytes that the tree hashes. */
function leafOf(row: AuditRow): string {
  const { seq, atMs, kind, action, actor, subject, details } = row;
  return canonicalJson({
    ...{ seq, at_ms: atMs, kind, action, actor },
    ...(subject === undefined ? {} : { subject }),
    ...(details === undefined ? {} : { details }),
  });
}

/** The hash of a row as a leaf of the tree. */
export function rowHash(row: AuditRow): Uint8Array {
  return leafHash(leafOf(row));
}

/** A row as its line in a file, without the line break: its leaf in ASCII, the same on every machine. */
export function lineOf(row: AuditRow): string {
  return leafOf(row).replace(NOT_PLAIN, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The row of a line; undefined where it is none. A line that says the same in another spelling is read as well. */
export function readLine(line: string): AuditRow | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  const { seq, at_ms: atMs, kind, action, actor, subject, details, ...rest } = value;
  if (Object.keys(rest).length > 0 || !isCount(seq) || typeof atMs !== 'number') return undefined;
  if (typeof kind !== 'string' || typeof action !== 'string' || typeof actor !== 'string') return undefined;
  if (subject !== undefined && typeof subject !== 'string') return undefined;
  if (details !== undefined && !isRecord(details)) return undefined;
  return {
    ...{ seq, atMs, kind, action, actor },
    ...(subject === undefined ? {} : { subject }),
    // Parsed from JSON, so that it is JSON.
    ...(details === undefined ? {} : { details: details as Readonly<Record<string, Json>> }),
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}
