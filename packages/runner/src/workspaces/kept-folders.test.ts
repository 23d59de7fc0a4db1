import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystemClock, createSystemRandom, silentLogger } from '@writ/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createKeptWorkspaces } from './kept.ts';
import { createKeptFolders, type KeptOptions } from './kept-folders.ts';
import { readRecord } from './record.ts';
import type { WorkspaceRecord } from './types.ts';

let root: string;
let discard: KeptOptions['discard'];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'writ-kept-'));
  for (const id of ['old1', 'old2']) mkdirSync(join(root, `kept-${id}`, 'work'), { recursive: true });
  discard = async (folder) => rmSync(folder, { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

const options = (): KeptOptions => ({
  ...{ root: async () => root, label: 'new', discard: (folder) => discard(folder), logger: silentLogger },
  rules: () => ({ failedMs: 1, orphanedMs: 1, budgetBytes: 1 }),
  isTimeBelieved: () => true,
  otherBytes: () => 0,
  ...{ clock: createSystemClock(), random: createSystemRandom() },
});

/** What an earlier process has kept: two of which nobody knows anything. */
async function adopted() {
  const kept = createKeptWorkspaces(options());
  await kept.adopt();
  const told: string[] = [];
  const remove = (which: readonly string[]) =>
    kept.remove({ which, unbundled: true, removed: (gone) => void told.push(...gone.map(({ id }) => id)) });
  return { kept, told, remove, ids: () => kept.list().map(({ id }) => id) };
}

it('what cannot be removed stays known, and all else goes and is told', async () => {
  discard = async (folder) => {
    if (folder.endsWith('old1')) throw new Error('busy');
    rmSync(folder, { recursive: true });
  };
  const { told, remove, ids } = await adopted();
  await expect(remove(['old1', 'old2'])).rejects.toThrow('busy');
  expect([told, ids()]).toEqual([['old2'], ['old1']]);
});

it('what cannot be removed keeps nothing else from being swept', async () => {
  discard = async (folder) => {
    if (folder.endsWith('old1')) throw new Error('busy');
    rmSync(folder, { recursive: true });
  };
  const record: WorkspaceRecord = {
    ...{ task: 't', workspace: 'app', preparedAtMs: 1, clone: { objectFormat: 'sha1', source: root } },
    end: { state: 'failed', atMs: 5, unbundled: 'none' },
  };
  for (const id of ['old1', 'old2'])
    writeFileSync(join(root, `kept-${id}`, 'attempt.json'), `${JSON.stringify(record)}\n`);
  const { kept, ids } = await adopted();
  expect(await kept.clear()).toBe(1);
  expect(ids()).toEqual(['old1']);
});

it('is removed by one alone where two are at it', async () => {
  const { told, remove, ids } = await adopted();
  const [one, other] = await Promise.all([remove(['old1', 'old2']), remove(['old2'])]);
  expect([one.map(({ id }) => id), other.map(({ id }) => id)]).toEqual([['old1'], ['old2']]);
  expect([told.toSorted(), ids()]).toEqual([['old1', 'old2'], []]);
});

it('whose folder is gone already is not known any more', async () => {
  const { remove, ids } = await adopted();
  rmSync(join(root, 'kept-old1'), { recursive: true });
  expect(await remove(['old1'])).toMatchObject([{ id: 'old1' }]);
  expect(ids()).toEqual(['old2']);
});

it('is known and can be removed where neither its record nor its name can be written, and is written down later', async () => {
  const folders = createKeptFolders(options());
  const record: WorkspaceRecord = {
    ...{ task: 't', workspace: 'app', preparedAtMs: 1, clone: { objectFormat: 'sha1', source: root } },
    end: { state: 'failed', atMs: 5, unbundled: 'none' },
  };
  for (const id of ['one', 'other'])
    mkdirSync(join(root, `run-${id}`, 'attempt.json', 'in the way'), { recursive: true });
  mkdirSync(join(root, 'kept-other', 'taken'), { recursive: true });
  for (const id of ['one', 'other']) await folders.take(join(root, `run-${id}`), record);
  const known = [...folders.entries.values()];
  expect(known.map(({ id, dir }) => [id, dir])).toEqual([
    ['one', join(root, 'kept-one', 'work')],
    ['other', join(root, 'run-other', 'work')],
  ]);
  expect(known.map((one) => [one.record, one.end])).toEqual([
    [record, record.end],
    [record, record.end],
  ]);
  for (const folder of ['kept-one', 'run-other']) rmSync(join(root, folder, 'attempt.json'), { recursive: true });
  expect(await folders.drop(known[1] as (typeof known)[0])).toBe(true);
  await folders.writeAgain();
  expect(await readRecord(join(root, 'kept-one'))).toEqual(record);
  expect(existsSync(join(root, 'run-other'))).toBe(false);
});
