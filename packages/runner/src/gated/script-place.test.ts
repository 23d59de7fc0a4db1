import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHeldFiles } from './held-files.ts';
import { createScriptPlace, isRuntimeFolder, type ScriptPlaceChecks } from './script-place.ts';

const MOST = 64 * 1024 * 1024;
const USER = 1000;

describe('the place of copies of scripts', () => {
  let folder: string;
  /** Stands for the folder of the system. */
  let runtime: string;
  let dir: string;
  /** What is found out about it, as the test says. */
  let machine: { runs: boolean; fit: boolean; free: number };
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'writ-scripts-')));
    runtime = join(folder, 'runtime');
    dir = join(runtime, 'writ-held');
    mkdirSync(runtime, { mode: 0o700 });
    machine = { runs: true, fit: true, free: MOST };
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const checks: ScriptPlaceChecks = {
    executes: () => machine.runs,
    isRuntime: (place, user) => machine.fit && user === USER && existsSync(place),
    freeBytes: () => machine.free,
  };
  const open = (dirs = [dir]) => createScriptPlace({ dirs, user: USER }, checks);
  const files = (scripts = open()) => createHeldFiles({ dirs: [join(folder, 'held')], scripts, user: 0 });
  const make = (name: string, content: string | Buffer): string => {
    writeFileSync(join(folder, name), content, { mode: 0o755 });
    return join(folder, name);
  };
  /** Where a copy of it lies, which is gone afterwards. */
  const placeOf = async (path: string, of = files()): Promise<string> => {
    const held = await of.hold(path, MOST);
    await held?.release();
    return held?.heldPath.slice(folder.length + 1).split('/')[0] ?? 'nowhere';
  };

  it('is for scripts, and for whatever else an interpreter is given: programs of the machine lie elsewhere', async () => {
    expect(await placeOf(make('deploy.sh', '#!/bin/sh\n'))).toBe('runtime');
    expect(await placeOf(make('deploy.js', 'console.log(1)\n'))).toBe('runtime');
    expect(await placeOf(make('empty', ''))).toBe('runtime');
    expect(await placeOf(make('program', Buffer.from('\x7fELF\x02', 'latin1')))).toBe('held');
    expect(await placeOf('/bin/sh')).toBe('held');
    expect(readdirSync(runtime)).toEqual([]);
  });

  it('has nothing above it that is the user’s: what climbs there looking for a name comes to no home', async () => {
    writeFileSync(join(folder, 'planted'), '');
    const climb = 'until [ -e planted ] || [ "$PWD" = "$1" ]; do cd ..; done; pwd';
    const held = await files().hold(make('clean.sh', `#!/bin/sh\ncd "$(dirname "$0")"\n${climb}\n`), MOST);
    const found = execFileSync(held?.heldPath ?? '', [runtime], { encoding: 'utf8' }).trim();
    expect(found).toBe(runtime);
    await held?.release();
  });

  it('is left alone where it has no room for more, or what is copied is large', async () => {
    const script = make('s.sh', '#!/bin/sh\n');
    const copies = files();
    machine.free = 64 * 1024 + 9;
    expect(await placeOf(script, copies)).toBe('held');
    machine.free = 64 * 1024 + 10;
    expect(await placeOf(script, copies)).toBe('runtime');
    machine.free = MOST;
    expect(await placeOf(make('bundle.js', Buffer.alloc(16 * 1024 * 1024 + 1, '/')), copies)).toBe('held');
  });

  it('is looked at for each copy: it goes when its user logs out, and comes back with them', async () => {
    const script = make('s.sh', '#!/bin/sh\n');
    const copies = files();
    const running = await copies.hold(script, MOST);
    rmSync(runtime, { recursive: true });
    expect(await placeOf(script, copies)).toBe('held');
    // Nobody but the system makes it.
    expect(existsSync(runtime)).toBe(false);
    await running?.release();
    mkdirSync(runtime, { mode: 0o700 });
    expect(await placeOf(script, copies)).toBe('runtime');
    machine.fit = false;
    expect(await placeOf(script, copies)).toBe('held');
  });

  it('is not there where another’s folder of that name cannot be written to, and the copy is made elsewhere', async () => {
    const copies = files();
    writeFileSync(dir, 'in the way');
    expect(await placeOf(make('s.sh', '#!/bin/sh\n'), copies)).toBe('held');
  });

  it('begins empty, in each that is fit, and is the first of these in which programs run', async () => {
    const second = join(folder, 'second');
    for (const place of [dir, join(second, 'writ-held')]) mkdirSync(join(place, 'c1'), { recursive: true });
    expect(
      await placeOf(make('s.sh', ''), files(open([join(folder, 'none', 'x'), join(second, 'writ-held'), dir]))),
    ).toBe('second');
    expect([readdirSync(runtime), readdirSync(second)]).toEqual([[], []]);
    mkdirSync(join(dir, 'c1'), { recursive: true });
    machine.runs = false;
    expect(await placeOf(make('s.sh', ''), files(open([dir])))).toBe('held');
    expect(readdirSync(runtime)).toEqual([]);
    machine.fit = false;
    mkdirSync(join(dir, 'c1'), { recursive: true });
    open();
    // Whose folder that is, nobody knows: nothing is removed there.
    expect(readdirSync(dir)).toEqual(['c1']);
  });

  it('is closed to others', async () => {
    chmodSync(runtime, 0o755);
    const held = await files().hold(make('s.sh', '#!/bin/sh\n'), MOST);
    expect(execFileSync('find', [runtime, '-mindepth', '1', '-perm', '/077'], { encoding: 'utf8' })).toBe('');
    await held?.release();
  });
});

describe('a folder of the system for what runs', () => {
  /** `/run/user/1000` as it usually is, but for what is said. */
  const isFit = (
    change: Readonly<Record<string, { uid?: number; mode?: number; link?: true }>> = {},
    { dir = '/run/user/1000', user = USER } = {},
  ): boolean => {
    const usual: Record<string, { uid: number; mode: number }> = {
      '/': { uid: 0, mode: 0o755 },
      '/run': { uid: 0, mode: 0o755 },
      '/run/user': { uid: 0, mode: 0o755 },
      '/run/user/1000': { uid: USER, mode: 0o700 },
      '/home': { uid: 0, mode: 0o755 },
      '/home/ada': { uid: USER, mode: 0o700 },
    };
    return isRuntimeFolder(dir, user, (path) => {
      const found = usual[resolve(path)];
      if (found === undefined) throw Object.assign(new Error('gone'), { code: 'ENOENT' });
      const { link, ...changed } = change[path] ?? {};
      return { ...found, ...changed, isDirectory: () => link !== true };
    });
  };

  it('is the user’s own, below folders of the superuser that nobody else writes to', () => {
    expect(isFit()).toBe(true);
    expect(isFit({}, { dir: '/run', user: 0 })).toBe(true);
    expect(isFit({ '/run/user/1000': { mode: 0o755 } })).toBe(true);
  });

  it.each([
    ['another’s', { '/run/user/1000': { uid: 1001 } }],
    ['the superuser’s', { '/run/user/1000': { uid: 0 } }],
    ['one that a group writes to', { '/run/user/1000': { mode: 0o770 } }],
    ['one that all write to', { '/run/user/1000': { mode: 0o777 } }],
    ['a link', { '/run/user/1000': { link: true } }],
    ['below a link', { '/run/user': { link: true } }],
    ['below one of the user’s', { '/run/user': { uid: USER } }],
    ['below one that all write to, though nobody moves what is another’s there', { '/run': { mode: 0o1777 } }],
  ] as const)('is none where it is %s', (_, change) => {
    expect(isFit(change)).toBe(false);
  });

  it.each([
    ['is not there', '/run/user/1001', USER],
    ['lies elsewhere', '/home/ada', USER],
    ['is another folder than it says', '/run/../home/ada', USER],
    ['only begins so', '/runtime', 0],
    ['is the superuser’s, of somebody else', '/run', USER],
  ])('is none where it %s', (_, dir, user) => {
    expect(isFit({}, { dir, user })).toBe(false);
  });
});
