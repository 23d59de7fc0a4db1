import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeTree } from './remove-tree.ts';

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'writ-remove-'));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

it('removes what lies deeper than a path can name', async () => {
  const tree = join(place, 'tree');
  mkdirSync(tree);
  const script = 'for i in $(seq 400); do mkdir dddddddddddddddddddd && cd dddddddddddddddddddd; done; echo x > deep';
  execFileSync('bash', ['-c', script], { cwd: tree });
  await removeTree(tree);
  expect(existsSync(tree)).toBe(false);
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
