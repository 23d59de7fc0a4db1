import { chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isGuarded, leadsTo, realPath, realTarget } from './real-path.ts';

let root: string;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'writ-real-')));
  mkdirSync(join(root, 'clone', 'src'), { recursive: true });
  mkdirSync(join(root, 'outside', 'deep'), { recursive: true });
  writeFileSync(join(root, 'clone', 'src', 'a.ts'), '');
  symlinkSync(join(root, 'outside', 'deep'), join(root, 'clone', 'out'));
  symlinkSync('src', join(root, 'clone', 'in'));
  symlinkSync('nowhere', join(root, 'clone', 'dangling'));
  symlinkSync('/proc/self', join(root, 'clone', 'myself'));
  symlinkSync('loop', join(root, 'clone', 'loop'));
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
  [`${'n/'.repeat(7)}a.ts`, `clone/${'n/'.repeat(7)}a.ts`],
  [`${'n/'.repeat(8)}a.ts`, undefined],
  ['x'.repeat(5000), undefined],
])('%s leads to %s', (path, place) => {
  expect(leadsTo(`${root}/clone/${path}`)).toBe(place && join(root, place));
});

it
  .skipIf(process.platform !== 'linux')
  .each([
    '/proc/self/cwd/x',
    '/proc/self/cwd',
    '/proc/thread-self/root/etc/passwd',
    `/proc/${process.pid}/cwd/x`,
    '/dev/fd/0',
    '/dev/stdin',
    'myself/cwd/x',
    'in/../myself/root/etc/passwd',
  ])('%s leads each process elsewhere, and so nowhere', (path) => {
  const whole = path.startsWith('/') ? path : join(root, 'clone', path.replace('in/../', ''));
  expect([realPath(whole), leadsTo(whole), realTarget(`self/path/${whole}/y`)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

it.each(['clone/src/a.ts/below', `clone/${'x'.repeat(300)}`])('%s is no target: nobody can say what it is', (path) => {
  expect(realTarget(`self/path/${join(root, path)}`)).toBeUndefined();
});

it('a folder of processes is one like others', () => {
  expect(realPath('/proc/sys')).toBe('/proc/sys');
});

it('is told by nobody through more folders and links than can be looked at while others wait', () => {
  const deep = 'd/'.repeat(100);
  mkdirSync(join(root, 'clone', deep), { recursive: true });
  symlinkSync(deep, join(root, 'clone', 'once'));
  symlinkSync(`once/${'../'.repeat(100)}once`, join(root, 'clone', 'twice'));
  expect(leadsTo(join(root, 'clone', 'once'))).toBe(join(root, 'clone', deep, '.'));
  expect(leadsTo(join(root, 'clone', 'twice'))).toBeUndefined();
  expect(leadsTo(join(root, 'clone', 'twice', 'new'))).toBeUndefined();
});

it('a folder of another user can be put in another’s place, whatever its mode; one of root’s cannot', () => {
  const mine = process.getuid?.() ?? 0;
  const theirs = join(root, 'theirs');
  mkdirSync(theirs);
  // Only root can give a folder away; anybody else asks in another’s name.
  if (mine === 0) chownSync(theirs, 65_534, 65_534);
  expect(isGuarded(join(theirs, 'a'), mine === 0 ? 0 : mine + 1)).toBe(false);
  expect(isGuarded(join(theirs, 'deep', 'a'), mine === 0 ? 0 : mine + 1)).toBe(false);
  expect(isGuarded(join(theirs, 'a'), mine === 0 ? 65_534 : mine)).toBe(mine !== 0 || statSync(root).uid === 0);
  expect(isGuarded('/usr/bin/env', 65_534)).toBe(true);
});
