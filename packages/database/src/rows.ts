import { type Json, quote } from '@writ/core';
import { z } from 'zod';
import type { ReadTx } from './types.ts';

/** How rows of one table are read. */
export interface RowShape<T> {
  readonly table: string;
  /** The field that names a row in a report. */
  readonly key: string;
  /** What a row must look like, null columns left out. */
  readonly shape: z.ZodType<T>;
}

/**
 * Fields of an object shape, one for each key of `T`, optional ones too: a field that is added to a type and forgotten
 * here would be dropped from every row that is read, so it does not compile.
 */
export function fieldsOf<T>() {
  return <S extends Record<keyof T, z.ZodType>>(fields: S): S => fields;
}

/** A JSON text column: parsed, then checked by `shape`. */
export function jsonColumn<T extends z.ZodType>(shape: T) {
  const parsed = z.string().transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: 'custom', message: 'is no JSON' });
      return z.NEVER;
    }
  });
  return parsed.pipe(shape);
}

/** An integer column that is never negative: a time in milliseconds or a count. */
export const countColumn = z.number().int().nonnegative();

/** A 0 or 1 column. */
export const flagColumn = z.union([z.literal(0), z.literal(1)]).transform((flag) => flag === 1);

/**
 * A stored row as checked by its shape, or undefined where there is none or it cannot be read. The latter is reported:
 * such a row is left out, so that it denies what it would have allowed, and never stops the node.
 */
export function readRow<T>(tx: ReadTx, row: unknown, from: RowShape<T>): T | undefined {
  if (row === undefined) return undefined;
  const fields = row as Readonly<Record<string, Json>>;
  const present = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
  const parsed = from.shape.safeParse(present);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const reason = `${quote(issue?.path.join('.') ?? '')}: ${issue?.message ?? 'unreadable'}`;
  tx.quarantine({ table: from.table, key: String(fields[from.key]), reason, raw: fields });
  return undefined;
}

/** `readRow` over many; unreadable ones are left out. */
export function readRows<T>(tx: ReadTx, rows: readonly unknown[], from: RowShape<T>): readonly T[] {
  return rows.flatMap((row) => readRow(tx, row, from) ?? []);
}
