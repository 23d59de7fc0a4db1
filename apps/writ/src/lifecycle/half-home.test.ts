import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readEnvironment } from '../env.ts';
import { type Home, resolveHome } from '../home.ts';
import { missingKeys, noNode } from './half-home.ts';
import { initKeys, initNode, refuseThere } from './init-node.ts';
import { ownPidFile } from './running-pid.ts';

let root: string;
let home: Home;
const request = { name: 'solo', workspaces: [], isolation: 'none' } as const;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'writ-half-'));
  chmodSync(root, 0o700);
  home = resolveHome(readEnvironment(), root);
});
afterEach(() => rmSync(root, { recursive: true }));

it('is no half where nothing, or all of a node, is there', async () => {
  expect(missingKeys(home)).toBeUndefined();
  expect(noNode(home)).toMatchObject({ code: 'NOT_INITIALIZED', nextSteps: ['writ init'] });
  refuseThere(home);
  await initNode(home, request);
  expect(missingKeys(home)).toBeUndefined();
  for (const keeps of [true, false]) {
    expect(() => refuseThere(home, keeps)).toThrow(
      expect.objectContaining({ code: 'CONFLICT', nextSteps: ['writ up', 'writ status'] }),
    );
  }
  await expect(initKeys(home)).rejects.toMatchObject({ code: 'CONFLICT' });
});

it('keeps a configuration without keys, and says what of another node has to go', async () => {
  const { id } = await initNode(home, request);
  const text = readFileSync(home.configFile, 'utf8');
  rmSync(home.keysDir, { recursive: true });
  expect(missingKeys(home)?.nextSteps.at(-1)).toMatch(/: writ init --keep$/);
  const steps = `: mv ${home.dataDir} ${home.dataDir}.old && writ init --keep`;
  // What the key that is gone has signed would be nobody's beside another one.
  mkdirSync(home.auditDir);
  writeFileSync(join(home.auditDir, 'log'), '');
  expect(missingKeys(home)?.nextSteps.at(-1)).toContain(steps);
  await expect(initKeys(home)).rejects.toMatchObject({
    ...{ code: 'CONFLICT', message: expect.stringContaining(`${home.auditDir}/log`) },
    nextSteps: [expect.stringContaining('from a backup'), expect.stringContaining(steps)],
  });
  rmSync(join(home.auditDir, 'log'));
  await expect(initNode(home, request)).rejects.toMatchObject({
    code: 'CONFLICT',
    nextSteps: [expect.stringContaining('from a backup'), expect.stringContaining('writ init --keep')],
  });
  refuseThere(home, true);
  writeFileSync(home.configFile, `${text}\n[workspaces.all]\npath = "/"\n`);
  await expect(initKeys(home)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  writeFileSync(home.configFile, text);
  const made = await initKeys(home);
  expect([made.id === id, made.config.node.name]).toEqual([false, 'solo']);
  expect(readFileSync(home.configFile, 'utf8')).toBe(text);
});

it('a node that runs on without its keys is ended before anything is put in their place', async () => {
  await initNode(home, request);
  rmSync(home.keysDir, { recursive: true });
  for (const file of [home.pidFile, home.lockFile]) mkdirSync(dirname(file), { recursive: true });
  const lock = openSync(home.lockFile, 'a');
  writeFileSync(home.pidFile, ownPidFile(home));
  expect(missingKeys(home)?.nextSteps).toEqual([
    expect.stringContaining(': writ down'),
    expect.stringContaining('from a backup'),
    expect.stringMatching(/: writ down && (mv .+ && )?writ init --keep$/),
  ]);
  closeSync(lock);
  rmSync(home.pidFile);
  expect(missingKeys(home)?.nextSteps.join()).not.toContain('writ down');
});

it('keeps keys without a configuration', async () => {
  const { id } = await initNode(home, request);
  renameSync(home.configFile, join(root, 'aside'));
  expect(noNode(home)).toMatchObject({
    code: 'NOT_INITIALIZED',
    nextSteps: [`bring back ${home.configFile}`, expect.stringContaining('writ init --keep')],
  });
  await expect(initNode(home, request)).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(await initNode(home, { ...request, name: 'anew', keepsKeys: true })).toEqual({ id, name: 'anew' });
});
