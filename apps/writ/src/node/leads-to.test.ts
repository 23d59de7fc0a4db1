import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { leadsTo } from './leads-to.ts';

let root: string;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'writ-real-')));
  mkdirSync(join(root, 'clone', 'src'), { recursive: true });
  mkdirSync(join(root, 'outside', 'deep'), { recursive: true });
  writeFileSync(join(root, 'clone', 'src', 'a.ts'), '');
  symlinkSync(join(root, 'outside', 'deep'), join(root, 'clone', 'out'));
  symlinkSync('src', join(root, 'clone', 'in'));
  symlinkSync('nowhere', join(root, 'clone', 'dangling'));
  symlinkSync('loop', join(root, 'clone', 'loop'));
  symlinkSync('src/../'.repeat(70), join(root, 'clone', 'long'));
  symlinkSync('/proc/self/cwd', join(root, 'clone', 'own'));
});
afterAll(() => rmSync(root, { recursive: true }));

it.each([
  ['src/a.ts', 'clone/src/a.ts'],
  ['src/new.ts', 'clone/src/new.ts'],
  ['new/folder/a.ts', 'clone/new/folder/a.ts'],
  ['src/a.ts/below', 'clone/src/a.ts/below'],
  ['in/new.ts', 'clone/src/new.ts'],
  ['out/passwd', 'outside/deep/passwd'],
  ['out/new/a.ts', 'outside/deep/new/a.ts'],
  ['out/../a.ts', 'outside/a.ts'],
  ['../a.ts', 'a.ts'],
  ['dangling', undefined],
  ['dangling/a.ts', undefined],
  ['loop', undefined],
  ['new/../a.ts', undefined],
  ['x'.repeat(5000), undefined],
  ['x/'.repeat(100), `clone/${'x/'.repeat(100).slice(0, -1)}`],
  // Nothing else goes on while it is found out.
  ['x/'.repeat(130), undefined],
  ['long', undefined],
  ['../'.repeat(20), ''],
  ['own/a.ts', undefined],
])('%s leads to %s', (path, place) => {
  expect(leadsTo(`${root}/clone/${path}`)).toBe(
    place === undefined ? undefined : place === '' ? '/' : join(root, place),
  );
});
