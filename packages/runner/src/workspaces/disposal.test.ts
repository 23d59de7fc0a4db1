import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystemRandom, silentLogger } from '@writ/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDisposal } from './disposal.ts';
import { removeTree } from './remove-tree.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'writ-trash-'));
});
afterEach(() => rmSync(root, { recursive: true }));

it('what could not be removed is known, and is tried again', async () => {
  let isBusy = true;
  const disposal = createDisposal({
    ...{ root: join(root, 'all'), label: 'new', gitConfigFile: join(root, 'gitconfig') },
    ...{ random: createSystemRandom(), logger: silentLogger },
    removeTree: async (path) => {
      if (isBusy) throw new Error('busy');
      await removeTree(path);
    },
  });
  const dir = await disposal.open();
  mkdirSync(join(dir, 'run-1', 'work'), { recursive: true });
  await disposal.discard(join(dir, 'run-1'));
  await disposal.idle();
  const names = readdirSync(dir);
  expect(names).toEqual([expect.stringMatching(/^trash-/)]);
  expect(disposal.undeleted()).toEqual(names.map((name) => join(dir, name)));
  disposal.retry();
  await disposal.idle();
  expect(disposal.undeleted()).toHaveLength(1);
  isBusy = false;
  disposal.retry();
  // Nobody tries the same twice at once.
  expect(disposal.undeleted()).toEqual([]);
  await disposal.idle();
  expect([readdirSync(dir), disposal.undeleted(), existsSync(dir)]).toEqual([[], [], true]);
});
