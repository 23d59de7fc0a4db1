import { existsSync } from 'node:fs';
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Logger, Random } from '@writ/core';
import { PREFIX } from './attempt.ts';
import { readRecord, writeRecord } from './record.ts';
import { removeTree } from './remove-tree.ts';
import { treeSize } from './tree-size.ts';
import type { KeptWorkspace, StorageRules, WorkspaceEnd, WorkspaceRecord } from './types.ts';

export interface KeptOptions {
  /** Absolute, real path; there when something is asked. */
  readonly root: () => Promise<string>;
  /** Begins the names of all that this process makes. */
  readonly label: string;
  readonly rules: () => StorageRules;
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
  /** Makes a run's folder one that is kept; no record: nobody can say what it is. */
  take(from: string, record: WorkspaceRecord | undefined): Promise<void>;
  /** Writes down what was found out about one. */
  rewrite(one: KeptWorkspace, record: WorkspaceRecord & { readonly end: WorkspaceEnd }): Promise<void>;
  /** Removes one; false where somebody else is at it, or has done it. Rejects where it cannot be, and it stays known. */
  drop(one: KeptWorkspace): Promise<boolean>;
}

export function createKeptFolders(options: KeptOptions): KeptFolders {
  const { label, discard, clock, random, logger } = options;
  const entries = new Map<string, KeptWorkspace>();
  const folderOf = async (id: string): Promise<string> => join(await options.root(), `${PREFIX.kept}${id}`);

  async function enter(folder: string, id: string, record: WorkspaceRecord | undefined): Promise<void> {
    const unreadable: WorkspaceEnd = { state: 'orphaned', atMs: clock.nowMs(), unbundled: 'unknown' };
    const about = { id, dir: join(folder, 'work'), end: record?.end ?? unreadable, bytes: await treeSize(folder) };
    entries.set(id, { ...about, ...(record === undefined ? {} : { record }) });
  }

  // The record is whole before the folder has its name: what is killed in between is an orphan, or kept.
  async function take(from: string, record: WorkspaceRecord | undefined): Promise<void> {
    const id = from.slice(from.lastIndexOf(PREFIX.run) + PREFIX.run.length);
    if (record !== undefined) await writeRecord(from, record, random);
    const folder = await folderOf(id);
    await rename(from, folder);
    await strip(folder).catch((error) => {
      // It stays with its clone, is listed and counts.
      logger.warn('a kept workspace holds more than its clone', { workspace: id, error: String(error) });
    });
    await enter(folder, id, record);
  }

  async function adoptOne(root: string, name: string): Promise<void> {
    const folder = join(root, name);
    const record = await readRecord(folder);
    if (name.startsWith(PREFIX.kept)) {
      await strip(folder);
      await enter(folder, name.slice(PREFIX.kept.length), typeof record === 'string' ? undefined : record);
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
      await writeRecord(await folderOf(one.id), record, random);
      if (entries.has(one.id)) entries.set(one.id, { ...one, record, end: record.end });
    },
    async drop(one) {
      if (!entries.delete(one.id)) return false;
      const folder = await folderOf(one.id);
      try {
        await discard(folder);
      } catch (error) {
        // A folder that is still there takes room, and counts.
        if (existsSync(folder)) entries.set(one.id, one);
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
async function strip(folder: string): Promise<void> {
  const others = (await readdir(folder)).filter((name) => name !== 'work' && name !== 'attempt.json');
  for (const name of others) await removeTree(join(folder, name));
}
