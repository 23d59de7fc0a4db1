import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrno, type Logger, type Random, replacePrivateFile } from '@writ/core';
import type { WorkspaceRecord } from './types.ts';

const FILE = 'attempt.json';
/** Longest record that is read, bytes. */
const LONGEST = 64 * 1024;

/** Writes the record of a workspace into its folder, whole or not at all. */
export async function writeRecord(folder: string, record: WorkspaceRecord, random: Random): Promise<void> {
  await replacePrivateFile(join(folder, FILE), `${JSON.stringify(record)}\n`, random);
}

/** Writes records, and owes those for which there is no room. */
export interface RecordWriter {
  /** Never rejects. */
  write(folder: string, record: WorkspaceRecord): Promise<void>;
  /** Writes what is owed. */
  again(): Promise<void>;
  /** Owes nothing for a folder any more. */
  forget(folder: string): void;
}

export function createRecordWriter({
  random,
  logger,
}: {
  readonly random: Random;
  readonly logger: Logger;
}): RecordWriter {
  const owed = new Map<string, WorkspaceRecord>();
  const write: RecordWriter['write'] = async (folder, record) => {
    owed.delete(folder);
    try {
      await writeRecord(folder, record, random);
    } catch (error) {
      owed.set(folder, record);
      logger.warn('what is known of a kept workspace is not written down yet', { folder, error: String(error) });
    }
  };
  return {
    write,
    async again() {
      // What was forgotten, or written anew, meanwhile is owed no more.
      for (const [folder, record] of [...owed]) if (owed.get(folder) === record) await write(folder, record);
    },
    forget: (folder) => void owed.delete(folder),
  };
}

/** The record in a folder; `absent` where there is none, `unreadable` where it is nothing that this program wrote. */
export async function readRecord(folder: string): Promise<WorkspaceRecord | 'absent' | 'unreadable'> {
  try {
    const file = await open(join(folder, FILE), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = await file.stat();
      if (!stat.isFile() || stat.size > LONGEST) return 'unreadable';
      return parse(await file.readFile('utf8'));
    } finally {
      await file.close();
    }
  } catch (error) {
    const isAbsent = hasErrno(error, 'ENOENT');
    return isAbsent ? 'absent' : 'unreadable';
  }
}

function parse(text: string): WorkspaceRecord | 'unreadable' {
  const value: unknown = JSON.parse(text);
  return isRecord(value) ? value : 'unreadable';
}

function isRecord(value: unknown): value is WorkspaceRecord {
  const { task, sender, workspace, clone, preparedAtMs, end } = fieldsOf(value);
  const { base, objectFormat, source } = fieldsOf(clone);
  return (
    [task, workspace, source].every((field) => typeof field === 'string') &&
    (base === undefined || (typeof base === 'string' && /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(base))) &&
    (objectFormat === 'sha1' || objectFormat === 'sha256') &&
    (sender === undefined || typeof sender === 'string') &&
    Number.isSafeInteger(preparedAtMs) &&
    (end === undefined || isEnd(end))
  );
}

function isEnd(value: unknown): boolean {
  const { state, atMs, unbundled, looks } = fieldsOf(value);
  return (
    ['done', 'failed', 'orphaned'].includes(String(state)) &&
    Number.isSafeInteger(atMs) &&
    ['none', 'some', 'unknown'].includes(String(unbundled)) &&
    (looks === undefined || Number.isSafeInteger(looks))
  );
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
