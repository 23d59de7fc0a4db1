import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeTree } from './remove-tree.ts';
import { treeSize } from './tree-size.ts';

/** Folders in folders, far below what a path can name, with a file at the bottom. */
function nest(folder: string): void {
  const script =
    'n=dddddddddddddddddddddddddddddddddddddddd; for i in $(seq 120); do mkdir $n && cd $n; done; echo x > deep';
  execFileSync('bash', ['-c', script], { cwd: folder });
}

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'writ-remove-'));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

it('removes what lies deeper than a path can name', async () => {
  const tree = join(place, 'tree');
  mkdirSync(tree);
  nest(tree);
  await removeTree(tree);
  expect(existsSync(tree)).toBe(false);
});

it('removes it also where something else removes it at the same time, and where names of its own are taken', async () => {
  for (let round = 0; round < 2; round++) {
    const tree = join(place, 'tree');
    mkdirSync(join(tree, 'moved-1', 'full'), { recursive: true });
    nest(tree);
    for (let at = 0; at < 40; at++) {
      mkdirSync(join(tree, `folder-${at}`));
      writeFileSync(join(tree, `folder-${at}`, 'file'), '');
    }
    // As another removal does that has not heard of a failure yet.
    await Promise.all([removeTree(tree), rm(tree, { recursive: true, force: true }).catch(() => {})]);
    expect(existsSync(tree)).toBe(false);
  }
});

it('removes what has a name that is no text, and counts it', async () => {
  const tree = join(place, 'tree');
  mkdirSync(tree);
  const name = Buffer.concat([Buffer.from(`${tree}/`), Buffer.from([0x66, 0xff])]);
  mkdirSync(name);
  const before = await treeSize(tree);
  writeFileSync(Buffer.concat([name, Buffer.from('/'), Buffer.from([0xfe])]), Buffer.alloc(1024 * 1024, 1));
  expect((await treeSize(tree)) - before).toBeGreaterThanOrEqual(1024 * 1024);
  await removeTree(tree);
  expect(existsSync(tree)).toBe(false);
});

it('removes a link in the place of a folder, and nothing where it leads', async () => {
  const outside = join(place, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'kept'), '');
  symlinkSync(outside, join(place, 'link'));
  await removeTree(join(place, 'link'));
  await removeTree(join(place, 'never'));
  expect(readdirSync(place)).toEqual(['outside']);
  expect(existsSync(join(outside, 'kept'))).toBe(true);
});

it('removes folders that nobody may write to, and follows no link', async () => {
  const tree = join(place, 'tree');
  const outside = join(place, 'outside');
  mkdirSync(join(tree, 'closed'), { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(outside, 'kept'), '');
  writeFileSync(join(tree, 'closed', 'file'), '');
  symlinkSync(outside, join(tree, 'closed', 'link'));
  chmodSync(join(tree, 'closed'), 0o500);
  await removeTree(tree);
  expect([existsSync(tree), existsSync(join(outside, 'kept'))]).toEqual([false, true]);
});
