import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
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
    files = createHeldFiles({ dirs: [join(folder, 'held')], user: 0 });
  });
  afterEach(() => rm(folder, { recursive: true }));
  const make = async (name: string, text: string): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, text, { mode: 0o755 });
    return path;
  };
  /** What is held; the folder goes with the last of it. */
  const held = async (): Promise<readonly string[]> => {
    const names = await readdir(folder);
    return names.includes('held') ? readdir(join(folder, 'held')) : [];
  };

  it('are private copies of what was hashed, under their own names, whatever is written afterwards', async () => {
    const path = await make('deploy.sh', 'echo one\n');
    const file = await files.hold(path, MOST);
    await writeFile(path, 'echo two\n');
    expect(file).toMatchObject({ sha256: sha256Hex('echo one\n'), sizeBytes: 9 });
    expect(file?.heldPath).toMatch(/\/held\/c\w+\/.*\/deploy\.sh$/);
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
    expect(await held()).toHaveLength(1);
    await file?.release();
  });

  it('are refused above the limit, and where they are no files', async () => {
    const path = await make('large', 'x'.repeat(11));
    expect(await files.hold(path, 10)).toBeUndefined();
    expect(await files.hold(folder, MOST)).toBeUndefined();
    expect(await files.hold('/dev/null', MOST)).toBeUndefined();
    expect(await files.hold(join(folder, 'missing'), MOST)).toBeUndefined();
    expect(await held()).toEqual([]);
  });

  it('follow a link to what it leads to now, and keep the name that was called: a script does what its name says', async () => {
    const path = await make('real', '#!/bin/sh\nbasename "$0"\n');
    await symlink(path, join(folder, 'link'));
    const file = await files.hold(join(folder, 'link'), MOST);
    expect(file?.heldPath).toMatch(/\/held\/c\w+\/.*\/link$/);
    expect(execFileSync(file?.heldPath ?? '', { encoding: 'utf8' })).toBe('link\n');
    expect(await files.inspect(join(folder, 'link'))).toMatchObject({ kind: 'file', realPath: path });
    await file?.release();
  });

  it('stay in place where only the superuser could have changed them, unless this node is the superuser', async () => {
    const shell = await realpath('/bin/sh');
    const digest = createHash('sha256')
      .update(await readFile(shell))
      .digest('hex');
    const inPlace = createHeldFiles({ dirs: [join(folder, 'in-place')], user: 1000 });
    expect(await inPlace.hold('/bin/sh', MOST)).toMatchObject({ heldPath: shell, sha256: digest, leavesPlace: false });
    // A question is told beforehand.
    expect((await inPlace.read('/bin/sh', MOST, undefined))?.leavesPlace).toBe(false);
    expect((await files.read('/bin/sh', MOST, undefined))?.leavesPlace).toBe(true);
    const copied = await files.hold('/bin/sh', MOST);
    expect(copied?.heldPath).toMatch(/\/held\//);
    // A link that somebody else could lead elsewhere.
    await symlink('/bin/sh', join(folder, 'sh'));
    expect((await inPlace.hold(join(folder, 'sh'), MOST))?.heldPath).toMatch(/\/in-place\/c\w+\/.*\/sh$/);
    // In a folder that everybody may write to, somebody may put another file in its place.
    const open = await make('open', 'x');
    await chmod(folder, 0o777);
    expect((await inPlace.hold(open, MOST))?.heldPath).toMatch(/\/in-place\//);
  });

  it('lie below empty folders named as their own: a script that climbs from where it is finds nothing of the node', async () => {
    await mkdir(join(folder, 'keys'));
    await mkdir(join(folder, 'app', 'tools', 'ci'), { recursive: true });
    const climb = 'for up in $(seq 60); do cd .. && echo "$PWD/"*; done\n';
    const path = await make('app/tools/ci/tidy.sh', `#!/bin/sh\ncd "$(dirname "$0")"\nbasename "$PWD"\n${climb}`);
    const file = await files.hold(path, MOST);
    const [name, ...above] = execFileSync(file?.heldPath ?? '', { encoding: 'utf8' })
      .trim()
      .split('\n');
    expect(name).toBe('ci');
    const own = path.split('/').length - 2;
    // As far as its own path goes up, and further, each folder has one in it: the one that was left.
    for (const place of above.slice(0, own + 15)) expect(place).toMatch(/^\S+\/held\/c\w+\/\S+$/);
    await file?.release();
    expect(await readdir(folder)).not.toContain('held');
  });

  it('end a search for the project around them: a script that asks git, or looks for a file above, comes to no other one', async () => {
    const look = 'until [ -f package.json ]; do cd ..; done; pwd';
    const climb = `d=$PWD; while [ ! -d "$d/.git" ] && [ "$d" != / ]; do d=$(dirname "$d"); done; cd "$d"; git clean -fdxq; pwd`;
    const unquoted = `cd $(git -C $(dirname $0) rev-parse --show-toplevel); pwd`;
    const text = `#!/bin/sh\n(${unquoted})\ncd "$(dirname "$0")"\n(${look})\n(${climb})\n`;
    execFileSync('git', ['init', '-q', folder]);
    await make('package.json', '{"scripts":{}}');
    const file = await files.hold(await make('clean.sh', text), MOST);
    const found = execFileSync(file?.heldPath ?? '', { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const top = join(folder, 'held', (await held())[0] ?? '');
    expect(found.trim().split('\n')).toEqual([top, top, top]);
    expect(await readdir(folder)).toContain('clean.sh');
    await file?.release();
    expect(await held()).toEqual([]);
  });

  it('lie nowhere that somebody else may move, nor below a folder of somebody else', async () => {
    await mkdir(join(folder, 'cache'));
    await symlink(join(folder, 'cache'), join(folder, 'link'));
    const dirs = ['cache/held', 'link/held', 'last'].map((name) => join(folder, name));
    const placeOf = async (user = process.getuid?.() ?? 0): Promise<string> => {
      const file = await createHeldFiles({ dirs, user }).hold(await make('x', 'x'), MOST);
      await file?.release();
      return file?.heldPath.slice(folder.length + 1).split('/')[0] ?? '';
    };
    expect(await placeOf()).toBe('cache');
    for (const [mode, place] of [
      [0o777, 'last'],
      [0o770, 'last'],
      [0o1777, 'cache'],
    ] as const) {
      await chmod(join(folder, 'cache'), mode);
      expect(await placeOf(), mode.toString(8)).toBe(place);
    }
    await chmod(join(folder, 'cache'), 0o700);
    if (process.getuid?.() === 0) await chown(folder, 1234, 1234);
    // Where there is no such place, the last of all, which is the node's own.
    expect(await placeOf(65_534)).toBe('last');
  });

  it('are in the first place that can be written to, and what an earlier node left in any is gone', async () => {
    await writeFile(join(folder, 'file'), '');
    await mkdir(join(folder, 'old'));
    const dirs = ['file/none', 'second', 'old'].map((name) => join(folder, name));
    const elsewhere = createHeldFiles({ dirs, user: 0 });
    const file = await elsewhere.hold(await make('x', 'x'), MOST);
    expect(file?.heldPath.startsWith(join(folder, 'second'))).toBe(true);
    expect((await readdir(folder)).sort()).toEqual(['file', 'second', 'x']);
    await file?.release();
    expect(() => createHeldFiles({ dirs: dirs.slice(0, 1), user: 0 })).toThrow('there is no folder');
  });

  it('come and go at once, though their folder goes with the last of them', async () => {
    const path = await make('x', 'x');
    const coming = Array.from({ length: 40 }, async () => (await files.hold(path, MOST))?.release());
    await Promise.all(coming);
    expect(await held()).toEqual([]);
  });

  it('are only read for a question: the same digest, nothing kept, and no further than somebody waits', async () => {
    const path = await make('deploy.sh', '#!/bin/sh\n');
    const gone = new AbortController();
    const kept = await files.hold(path, MOST);
    const before = await held();
    const file = await files.read(path, MOST, gone.signal);
    expect(await held()).toEqual(before);
    const { sha256, sizeBytes, interpreter } = kept ?? {};
    expect(file).toMatchObject({ sha256, sizeBytes, interpreter, isCopy: false });
    expect(await files.read(path, 9, gone.signal)).toBeUndefined();
    await truncate(path, 8 * MOST);
    expect(await files.read(path, MOST, gone.signal)).toBeUndefined();
    const reading = files.read(path, 8 * MOST, gone.signal);
    gone.abort();
    await expect(reading).rejects.toMatchObject({ code: 'CANCELLED' });
    await kept?.release();
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
