import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { namesThatCannotBe } from './index-names.ts';
import { growingIndex } from './testing/growing-index.ts';

describe('the names of an index, before git reads them', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'writ-index-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));
  const git = (input: string, ...args: string[]): string =>
    execFileSync('git', args, { cwd: dir, input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] });
  /** What git itself writes for these names. */
  const written = (names: readonly string[], format: 'sha1' | 'sha256', version: number): Buffer => {
    git('', 'init', '--quiet', `--object-format=${format}`);
    const id = git('', 'hash-object', '-w', '--stdin').trim();
    git(names.map((name) => `100644 ${id}\t${name}\0`).join(''), 'update-index', '-z', '--index-info');
    git('', 'update-index', '--index-version', String(version));
    return readFileSync(join(dir, '.git', 'index'));
  };
  const names = ['a', 'a/b', 'ab', ...Array.from({ length: 300 }, (_, at) => `folder/${at}/${'x'.repeat(at)}`)];

  it.each([
    ['sha1', 2],
    ['sha1', 4],
    ['sha256', 2],
    ['sha256', 4],
  ] as const)('are let through as git writes them: %s, version %i', async (format, version) => {
    const long = Array.from({ length: 15 }, () => 'y'.repeat(255)).join('/');
    const index = written([...names, `${long}/${'z'.repeat(255)}`, `${long}/${'z'.repeat(256)}`], format, version);
    expect(await namesThatCannotBe(index, format)).toBeUndefined();
    const tooLong = written([`${long}/${'z'.repeat(300)}/1`, `${long}/${'z'.repeat(300)}/2`], format, version);
    expect(await namesThatCannotBe(tooLong, format)).toBe('has a name of more than 4096 bytes');
  });

  it('are let through with marks beside them that take more room', async () => {
    git('', 'init', '--quiet');
    for (const name of ['a', 'b', 'c']) writeFileSync(join(dir, name), name);
    git('', 'add', '--intent-to-add', 'a', 'b');
    git('', 'add', 'c');
    const index = readFileSync(join(dir, '.git', 'index'));
    expect(index.readUInt32BE(4)).toBe(3);
    expect(await namesThatCannotBe(index, 'sha1')).toBeUndefined();
  });

  it('are refused where each is the one before and a little more', async () => {
    expect(await namesThatCannotBe(growingIndex(4000), 'sha1')).toBeUndefined();
    expect(await namesThatCannotBe(growingIndex(5000), 'sha1')).toBe('has a name of more than 4096 bytes');
  });

  it('are refused where they come to too much together, though none is too long', async () => {
    const many = growingIndex(4000, 70_000);
    expect(many.length).toBeLessThan(5_000_000);
    expect(await namesThatCannotBe(many, 'sha1')).toBe('has names of more than 268435456 bytes together');
  });

  it('are refused where an entry does not end, and left to git where there is no index', async () => {
    const index = growingIndex(10);
    for (let length = 12; length < index.length - 20; length += 7) {
      expect(await namesThatCannotBe(index.subarray(0, length), 'sha1'), String(length)).toBe('is broken off');
    }
    expect(await namesThatCannotBe(Buffer.from('garbage'), 'sha1')).toBeUndefined();
    expect(await namesThatCannotBe(Buffer.alloc(100), 'sha1')).toBeUndefined();
  });
});
