import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shipTaskFiles } from './ship-task.ts';
import { createFixture, type Fixture, LIMITS } from './testing/fixture.ts';
import type { CollectRequest } from './types.ts';

describe('shipping the files of a running task', () => {
  let f: Fixture;
  let base: string;
  beforeEach(() => {
    f = createFixture();
    f.write(f.owner, { 'a.txt': 'one\n', 'lib/b.txt': 'b\n', 'run.sh': 'echo\n', '.gitignore': '*.log\n' });
    base = f.commit(f.owner);
    f.clone();
  });
  afterEach(() => {
    // Whatever became of it, no copy stays.
    expect(readdirSync(join(f.root, 'git'))).toEqual([]);
    f.remove();
  });

  const ship = (more: Partial<CollectRequest> = {}) =>
    shipTaskFiles({ ...f.request(base, more), base, platform: process.platform });

  /** The tree that was sent, as `mode path` lines. */
  async function sent(bundle: { readonly sha256: string } | undefined): Promise<string[]> {
    f.git(f.owner, 'fetch', '--quiet', await f.store.pathOf(bundle?.sha256 ?? ''), 'refs/writ/head');
    return f.git(f.owner, 'ls-tree', '-r', '--format=%(objectmode) %(path)', 'FETCH_HEAD').split('\n');
  }
  const content = (path: string): string => f.git(f.owner, 'show', `FETCH_HEAD:${path}`);

  it('takes what is tracked, untracked and forced in, with modes and links, on top of the base', async () => {
    f.write(f.work, { 'a.txt': 'two\n', 'new/c.txt': 'c\n', 'no.log': 'no\n', 'forced.log': 'yes\n', empty: '' });
    f.git(f.work, 'add', '--force', 'forced.log');
    f.git(f.work, 'update-index', '--chmod=+x', 'run.sh');
    f.git(f.work, 'checkout-index', '--force', 'run.sh');
    symlinkSync('/etc/passwd', join(f.work, 'link'));
    rmSync(join(f.work, 'lib'), { recursive: true });
    const { commit, bundle } = await ship();
    expect(await sent(bundle)).toEqual([
      ...['100644 .gitignore', '100644 a.txt', '100644 empty', '100644 forced.log', '120000 link'],
      ...['100644 new/c.txt', '100755 run.sh'],
    ]);
    expect([content('a.txt'), content('link')]).toEqual(['two', '/etc/passwd']);
    expect(f.git(f.owner, 'rev-parse', 'FETCH_HEAD', 'FETCH_HEAD^')).toBe(`${commit}\n${base}`);
  });

  it('is the base where nothing has changed', async () => {
    expect(await ship()).toEqual({ commit: base });
  });

  it('runs nothing of the task', async () => {
    const script = join(f.root, 'evil');
    const ran = join(f.root, 'ran');
    writeFileSync(script, `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
    for (const name of ['core.fsmonitor', 'filter.evil.clean', 'filter.evil.process', 'diff.evil.textconv']) {
      f.git(f.work, 'config', name, script);
    }
    f.git(f.work, 'config', 'core.worktree', f.owner);
    f.write(f.work, { '.gitattributes': '* filter=evil diff=evil\n', 'a.txt': 'two\n' });
    f.write(f.work, {
      '.git/info/attributes': '* filter=evil\n',
      '.git/hooks/post-index-change': '#!/bin/sh\nexit 1\n',
    });
    const { bundle } = await ship();
    await sent(bundle);
    expect([content('a.txt'), existsSync(ran)]).toEqual(['two', false]);
  });

  it('reads no file that is moved behind a link while it is copied', async () => {
    const outside = join(f.root, 'outside');
    mkdirSync(outside);
    f.write(outside, { 'b.txt': 'secret\n', 'a.txt': 'secret\n' });
    let looks = 0;
    /** After so many folders were listed, `swap` happens. */
    const swapping = (after: number, swap: () => void): Partial<CollectRequest> => ({
      limits: {
        ...LIMITS,
        get maxEntries() {
          looks += 1;
          if (looks === after) swap();
          return LIMITS.maxEntries;
        },
      },
    });
    const asLink = (name: string) => () => {
      renameSync(join(f.work, name), join(f.work, '.git', 'away'));
      symlinkSync(join(outside, name === 'lib' ? '' : name), join(f.work, name));
    };
    await expect(ship(swapping(1, asLink('lib')))).rejects.toMatchObject({ code: 'GIT_FAILED' });
    looks = 0;
    await expect(ship(swapping(1, asLink('a.txt')))).rejects.toMatchObject({ code: 'GIT_FAILED' });
    expect(looks).toBe(1);
  });

  it('follows no other git directory, and keeps to the limits', async () => {
    f.write(f.work, { 'sub/.git/HEAD': 'ref: x\n', 'sub/x.txt': 'x\n' });
    expect((await ship()).bundle).toBeDefined();
    rmSync(join(f.work, 'sub'), { recursive: true });
    await expect(ship({ limits: { ...LIMITS, maxEntries: 3 } })).rejects.toThrow(/more than 3 files/);
    await expect(ship({ limits: { ...LIMITS, maxFileBytes: 3 } })).rejects.toThrow(/is larger than 3 bytes/);
    await expect(ship({ limits: { ...LIMITS, maxTotalBytes: 9 } })).rejects.toThrow(/larger than 9 bytes/);
    rmSync(join(f.work, '.git'), { recursive: true });
    symlinkSync(join(f.owner, '.git'), join(f.work, '.git'));
    await expect(ship()).rejects.toThrow(/it leads elsewhere/);
  });
});
