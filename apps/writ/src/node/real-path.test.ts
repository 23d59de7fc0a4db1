import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { leadsTo } from './leads-to.ts';
import { realPath, realTarget } from './real-path.ts';

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

it('a folder of processes is one like others', () => {
  expect(realPath('/proc/sys')).toBe('/proc/sys');
});
