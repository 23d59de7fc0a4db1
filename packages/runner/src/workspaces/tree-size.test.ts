import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UNCOUNTED_BYTES } from '@writ/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeTree } from './remove-tree.ts';
import { treeSize } from './tree-size.ts';

const MIB = 1024 * 1024;

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'writ-size-'));
});
afterEach(() => removeTree(place));

it('counts files, also empty ones, and the folders themselves, and follows no link', async () => {
  const empty = await treeSize(place);
  expect(empty).toBeGreaterThan(0);
  for (let at = 0; at < 50; at++) writeFileSync(join(place, `file-${at}`), '');
  const files = await treeSize(place);
  expect(files).toBeGreaterThanOrEqual(empty + 50 * 512);
  for (let at = 0; at < 50; at++) mkdirSync(join(place, `folder-${at}`));
  const folders = await treeSize(place);
  expect(folders).toBeGreaterThanOrEqual(files + 50 * 512);
  writeFileSync(join(place, 'large'), Buffer.alloc(MIB, 1));
  symlinkSync('/usr', join(place, 'link'));
  const large = await treeSize(place);
  expect([large >= folders + MIB, large < folders + 2 * MIB]).toEqual([true, true]);
});

it('counts what a task has closed to itself', async () => {
  mkdirSync(join(place, 'closed', 'inner'), { recursive: true });
  writeFileSync(join(place, 'closed', 'inner', 'large'), Buffer.alloc(MIB, 1));
  chmodSync(join(place, 'closed', 'inner'), 0o600);
  chmodSync(join(place, 'closed'), 0);
  expect(await treeSize(place)).toBeGreaterThanOrEqual(MIB);
});

it('counts a tree that reaches deeper than a path can name as more than any budget', async () => {
  const script = 'n=$(printf "d%.0s" $(seq 200)); for i in $(seq 30); do mkdir $n && cd $n; done; echo x > deep';
  execFileSync('bash', ['-c', script], { cwd: place });
  expect(await treeSize(place)).toBe(UNCOUNTED_BYTES);
});

it('counts what has gone as nothing', async () => {
  expect(await treeSize(join(place, 'never'))).toBe(0);
});
