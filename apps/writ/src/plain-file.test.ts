import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readPlainFile } from './plain-file.ts';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'writ-plain-'));
});
afterAll(() => rmSync(dir, { recursive: true }));

it('reads a file, also through a link', () => {
  writeFileSync(join(dir, 'file'), 'text\n');
  symlinkSync(join(dir, 'file'), join(dir, 'link'));
  expect(readPlainFile(join(dir, 'link'))).toBe('text\n');
});

it('waits for no pipe, and reads no device and no folder', () => {
  execFileSync('mkfifo', [join(dir, 'pipe')]);
  symlinkSync('/dev/zero', join(dir, 'endless'));
  for (const name of ['pipe', 'endless', '.'])
    expect(() => readPlainFile(join(dir, name)), name).toThrow('no plain file');
});

it('reads nothing of what is too large', () => {
  writeFileSync(join(dir, 'large'), '');
  truncateSync(join(dir, 'large'), 3 * 1024 * 1024);
  expect(() => readPlainFile(join(dir, 'large'))).toThrow('larger than 2MiB');
});
