import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256Hex } from '@writ/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHeldFiles } from './held-files.ts';
import type { HeldFiles } from './types.ts';

const MOST = 1024 * 1024;

describe('held files', () => {
  let folder: string;
  let files: HeldFiles;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'writ-held-')));
    await mkdir(join(folder, 'held'));
    await writeFile(join(folder, 'held', 'left'), 'by an earlier node');
    files = createHeldFiles({ dir: join(folder, 'held'), user: 0 });
  });
  afterEach(() => rm(folder, { recursive: true }));
  const make = async (name: string, text: string): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, text, { mode: 0o755 });
    return path;
  };
  const held = () => readdir(join(folder, 'held'));

  it('are private copies of what was hashed, under their own names, whatever is written afterwards', async () => {
    const path = await make('deploy.sh', 'echo one\n');
    const file = await files.hold(path, MOST);
    await writeFile(path, 'echo two\n');
    expect(file).toMatchObject({ sha256: sha256Hex('echo one\n'), sizeBytes: 9 });
    expect(file?.heldPath).toMatch(/\/held\/\d+\/deploy\.sh$/);
    expect(await readFile(file?.heldPath ?? '', 'utf8')).toBe('echo one\n');
    for (const place of [join(folder, 'held'), file?.heldPath ?? '']) {
      expect((await stat(place)).mode & 0o077).toBe(0);
    }
    await file?.release();
    expect(await held()).toEqual([]);
  });

  it('begin with an empty folder, before anything is held', async () => {
    expect(await held()).toEqual([]);
    const file = await files.hold(await make('x', 'x'), MOST);
    expect(await held()).toEqual(['1']);
    await file?.release();
  });

  it('are refused above the limit, and where they are no files', async () => {
    const path = await make('large', 'x'.repeat(11));
    expect(await files.hold(path, 10)).toBeUndefined();
    expect(await files.hold(folder, MOST)).toBeUndefined();
    expect(await files.hold('/dev/null', MOST)).toBeUndefined();
    expect(await files.hold(join(folder, 'missing'), MOST)).toBeUndefined();
    expect(await held().then((names) => names.filter((name) => name !== 'left'))).toEqual([]);
  });

  it('follow a link to what it leads to now, and keep the name that was called: a script does what its name says', async () => {
    const path = await make('real', '#!/bin/sh\nbasename "$0"\n');
    await symlink(path, join(folder, 'link'));
    const file = await files.hold(join(folder, 'link'), MOST);
    expect(file?.heldPath).toMatch(/\/held\/\d+\/link$/);
    expect(execFileSync(file?.heldPath ?? '', { encoding: 'utf8' })).toBe('link\n');
    expect(await files.inspect(join(folder, 'link'))).toMatchObject({ kind: 'file', realPath: path });
    await file?.release();
  });

  it('stay in place where only the superuser could have changed them, unless this node is the superuser', async () => {
    const shell = await realpath('/bin/sh');
    const digest = createHash('sha256')
      .update(await readFile(shell))
      .digest('hex');
    const inPlace = createHeldFiles({ dir: join(folder, 'held', 'in-place'), user: 1000 });
    expect(await inPlace.hold('/bin/sh', MOST)).toMatchObject({ heldPath: shell, sha256: digest });
    const copied = await files.hold('/bin/sh', MOST);
    expect(copied?.heldPath).toMatch(/\/held\//);
    // A link that somebody else could lead elsewhere.
    await symlink('/bin/sh', join(folder, 'sh'));
    expect((await inPlace.hold(join(folder, 'sh'), MOST))?.heldPath).toMatch(/\/held\/in-place\/\d+\/sh$/);
    // In a folder that everybody may write to, somebody may put another file in its place.
    const open = await make('open', 'x');
    await chmod(folder, 0o777);
    expect((await inPlace.hold(open, MOST))?.heldPath).toMatch(/\/held\//);
  });

  it.each([
    ['#!/bin/sh\n', { path: '/bin/sh' }],
    ['#! /usr/bin/env  python3 -u \nrest', { path: '/usr/bin/env', argument: 'python3 -u' }],
    ['#!relative\n', undefined],
    ['\x7fELF', undefined],
  ])('say what %j is run by', async (text, interpreter) => {
    const file = await files.hold(await make('script', text), MOST);
    expect(file?.interpreter).toEqual(interpreter);
  });
});
