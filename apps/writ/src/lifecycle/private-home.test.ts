import { chmodSync, lstatSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@writ/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Home, resolveHome } from '../home.ts';
import { createClosers } from '../node/closers.ts';
import { openFoundations } from '../node/foundations.ts';
import { initNode } from './init-node.ts';
import { exposuresOf } from './private-home.ts';

let root: string;
let home: Home;
const uid = process.geteuid?.();
const request = { name: 'solo', workspaces: [], isolation: 'none' } as const;

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'writ-private-')));
  chmodSync(root, 0o700);
  home = resolveHome({} as Parameters<typeof resolveHome>[0], root);
  await initNode(home, request);
});
afterEach(() => rmSync(root, { recursive: true }));

/** What a node that starts says; it goes no further where a home is open. */
async function refusal(): Promise<unknown> {
  const closers = createClosers();
  return openFoundations(home, silentLogger, closers).then(
    () => closers.close(0),
    (error: unknown) => closers.close(0).then(() => error),
  );
}

it.each([
  ['the folder of the keys', () => home.keysDir, 0o755],
  ['the key of the identity', () => join(home.keysDir, 'identity.pem'), 0o644],
  ['the configuration', () => home.configFile, 0o640],
])('names %s where others reach it, and a node does not start then', async (_, pathOf, mode) => {
  expect(exposuresOf(home, uid)).toEqual([]);
  chmodSync(pathOf(), mode);
  const [found, ...others] = exposuresOf(home, uid);
  expect(others).toEqual([]);
  expect(found).toMatchObject({ code: 'HOME_INSECURE', details: { path: pathOf() } });
  expect(await refusal()).toMatchObject({ code: 'HOME_INSECURE', message: found?.message });
});

it('follows a link to the configuration, as far as others cannot put another file behind it', async () => {
  const kept = join(root, 'dotfiles');
  mkdirSync(kept, { mode: 0o755 });
  renameSync(home.configFile, join(kept, 'real.toml'));
  symlinkSync('dotfiles/real.toml', home.configFile);
  expect(exposuresOf(home, uid)).toEqual([]);
  chmodSync(kept, 0o777);
  expect(exposuresOf(home, uid)).toMatchObject([{ code: 'HOME_INSECURE', details: { path: join(kept, 'real.toml') } }]);
  chmodSync(kept, 0o700);
  chmodSync(join(kept, 'real.toml'), 0o644);
  expect(exposuresOf(home, uid)[0]?.nextSteps[0]).toBe(`chmod 600 ${join(kept, 'real.toml')}`);
});

it('a link that leads nowhere is said to be one, and no node is made over it', async () => {
  rmSync(home.configFile);
  symlinkSync('nowhere', home.configFile);
  expect(exposuresOf(home, uid)).toMatchObject([{ code: 'CONFIG_INVALID' }]);
  await expect(initNode(home, request)).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(lstatSync(home.configFile).isSymbolicLink()).toBe(true);
});
