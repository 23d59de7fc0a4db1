import { existsSync } from 'node:fs';
import { readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Clock, hasErrno, type Logger, type Random } from '@writ/core';
import { PREFIX } from './attempt.ts';
import { createRecordWriter, readRecord } from './record.ts';
import { removeTree } from './remove-tree.ts';
import { treeSize } from './tree-size.ts';
import type { KeptWorkspace, StorageRules, WorkspaceEnd, WorkspaceRecord } from './types.ts';

export interface KeptOptions {
  /** Absolute, real path; there when something is asked. */
  readonly root: () => Promise<string>;
  /** Begins the names of all that this process makes. */
  readonly label: string;
  readonly rules: () => StorageRules;
  readonly isTimeBelieved: () => boolean;
  /** What else takes of the budget. */
  readonly otherBytes: () => number;
  readonly discard: (folder: string) => Promise<void>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** The folders of what is kept, and what is known of each. */
export interface KeptFolders {
  /** By id, oldest knowledge first. */
  readonly entries: ReadonlyMap<string, KeptWorkspace>;
  /** Takes over what an earlier process left. */
  adopt(): Promise<void>;
  /** Makes a run's folder one that is kept, also where the disk is full; no record: nobody can say what it is. */
  take(from: string, record: WorkspaceRecord | undefined): Promise<void>;
  /** Takes up what was found out about one, and writes it down. */
  rewrite(one: KeptWorkspace, record: WorkspaceRecord & { readonly end: WorkspaceEnd }): Promise<void>;
  /** Writes down what there was no room for. */
  writeAgain(): Promise<void>;
  /**
   * Removes one, or what is known of one whose folder is gone; false where somebody else is at it, or has done it. Rejects where
   * it cannot be, and it stays known.
   */
  drop(one: KeptWorkspace): Promise<boolean>;
}

export function createKeptFolders(options: KeptOptions): KeptFolders {
  const { label, discard, clock, random, logger } = options;
  const entries = new Map<string, KeptWorkspace>();
  const records = createRecordWriter({ random, logger });

  async function enter(folder: string, id: string, record: WorkspaceRecord | undefined): Promise<void> {
    const unreadable: WorkspaceEnd = { state: 'orphaned', atMs: clock.nowMs(), unbundled: 'unknown' };
    const about = { id, dir: join(folder, 'work'), end: record?.end ?? unreadable, bytes: await treeSize(folder) };
    entries.set(id, { ...about, ...(record === undefined ? {} : { record }) });
  }

  // Nothing here needs room on a disk that a task has filled, so that a person can name the clone, and remove it. What is
  // killed before the record is written is an orphan, by the record that was written before the run.
  async function take(from: string, record: WorkspaceRecord | undefined): Promise<void> {
    const id = from.slice(from.lastIndexOf(PREFIX.run) + PREFIX.run.length);
    const named = join(await options.root(), `${PREFIX.kept}${id}`);
    const folder = await rename(from, named).then(
      () => named,
      (error) => {
        logger.warn('a kept workspace has the name of one in use', { workspace: id, error: String(error) });
        return from;
      },
    );
    await strip(folder, logger);
    if (record !== undefined) await records.write(folder, record);
    await enter(folder, id, record);
  }

  async function adoptOne(root: string, name: string): Promise<void> {
    const folder = join(root, name);
    const record = await readRecord(folder);
    if (name.startsWith(PREFIX.kept)) {
      await strip(folder, logger);
      const known = typeof record === 'string' ? undefined : orphan(record, clock.nowMs());
      await enter(folder, name.slice(PREFIX.kept.length), known);
    } else if (record === 'absent') await discard(folder);
    else await take(folder, record === 'unreadable' ? undefined : orphan(record, clock.nowMs()));
  }

  return {
    entries,
    take,
    async adopt() {
      const root = await options.root();
      const isEarlier = (name: string): boolean =>
        [PREFIX.run, PREFIX.kept].some((one) => name.startsWith(one) && !name.startsWith(`${one}${label}`));
      for (const name of (await readdir(root)).filter(isEarlier)) await adoptOne(root, name);
    },
    async rewrite(one, record) {
      if (!entries.has(one.id)) return;
      entries.set(one.id, { ...one, record, end: record.end });
      await records.write(dirname(one.dir), record);
    },
    writeAgain: records.again,
    async drop(one) {
      if (!entries.delete(one.id)) return false;
      const folder = dirname(one.dir);
      records.forget(folder);
      try {
        await discard(folder);
      } catch (error) {
        if (hasErrno(error, 'ENOENT') && !existsSync(folder)) return true;
        // A folder that is still there takes room, and counts.
        entries.set(one.id, one);
        throw error;
      }
      return true;
    },
  };
}

function orphan(record: WorkspaceRecord, atMs: number): WorkspaceRecord {
  return { ...record, end: record.end ?? { state: 'orphaned', atMs, unbundled: 'unknown' } };
}

/** Of what is kept only clone and record are of use; HOME may hold what an agent was told. */
async function strip(folder: string, logger: Logger): Promise<void> {
  try {
    const others = (await readdir(folder)).filter((name) => name !== 'work' && name !== 'attempt.json');
    for (const name of others) await removeTree(join(folder, name));
  } catch (error) {
    // It stays with its clone, is listed and counts.
    logger.warn('a kept workspace holds more than its clone', { folder, error: String(error) });
  }
}
