import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex } from '@writ/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { advance, beginOf, isWhole, parseArtifactPattern } from './artifact-pattern.ts';
import { collectArtifacts } from './artifacts.ts';
import { MOST_NESTED, type OpenBeneath, openBeneath } from './beneath.ts';
import { createFixture, type Fixture } from './testing/fixture.ts';
import type { ArtifactLimits } from './types.ts';

const LIMITS: ArtifactLimits = {
  maxArtifacts: 10,
  maxArtifactBytes: 1000,
  maxTotalBytes: 2000,
  maxEntries: 1000,
  maxSteps: 1_000_000,
};

describe('artifacts', () => {
  let f: Fixture;
  beforeEach(() => {
    f = createFixture();
    mkdirSync(f.work);
    f.write(f.root, { 'secret.txt': 'secret' });
  });
  afterEach(() => f.remove());
  const collect = (declared: string[], more: { limits?: Partial<ArtifactLimits>; open?: OpenBeneath } = {}) =>
    collectArtifacts({
      workspaceDir: f.work,
      declared,
      store: f.store,
      limits: { ...LIMITS, ...more.limits },
      platform: process.platform,
      open: more.open ?? openBeneath(process.platform),
    });

  it('are stored by content, once, private, and named only in the list', async () => {
    f.write(f.work, { 'dist/app.js': 'app', 'dist/deep/er/app.js': 'app', 'dist/x.css': 'css', 'r.xml': 'r' });
    const sha256 = sha256Hex('app');
    expect(await collect(['dist/**/*.js', 'r.xml', 'dist/app.js', 'nothing/*'])).toEqual([
      { name: 'dist/app.js', sha256, bytes: 3 },
      { name: 'dist/deep/er/app.js', sha256, bytes: 3 },
      { name: 'r.xml', sha256: sha256Hex('r'), bytes: 1 },
    ]);
    const path = await f.store.pathOf(sha256);
    expect(path).toBe(join(f.root, 'store', sha256.slice(0, 2), sha256));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(f.root, 'store')).mode & 0o777).toBe(0o700);
    expect(statSync(join(f.root, 'store', sha256.slice(0, 2))).mode & 0o777).toBe(0o700);
    expect(Buffer.from((await f.store.read(sha256, 1, 10)) ?? []).toString()).toBe('pp');
  });

  it('never are links, nor behind links', async () => {
    symlinkSync('../secret.txt', join(f.work, 'link'));
    symlinkSync('..', join(f.work, 'up'));
    for (const declared of ['link', 'up/secret.txt', 'l*']) {
      await expect(collect([declared])).rejects.toMatchObject({
        code: 'EVIDENCE_FAILED',
        message: expect.stringMatching(/is a link or behind one$/),
      });
    }
    const moved = join(f.root, 'moved');
    renameSync(f.work, moved);
    symlinkSync(moved, f.work);
    await expect(collect(['link'])).rejects.toThrow('the workspace is a link or behind one');
    rmSync(f.work);
    renameSync(moved, f.work);
    // A pattern does not look behind a link at all.
    expect(await collect(['**/secret.txt'])).toEqual([]);
  });

  it('never are links that are swapped in between the look and the opening', async () => {
    f.write(f.work, { 'a/b/c.txt': 'c' });
    const real = openBeneath(process.platform);
    const swapping: OpenBeneath = (root, parts) => {
      renameSync(join(f.work, 'a/b'), join(f.work, 'a/moved'));
      symlinkSync(f.root, join(f.work, 'a/b'));
      f.write(f.root, { 'c.txt': 'secret' });
      return real(root, parts);
    };
    await expect(collect(['a/b/*.txt'], { open: swapping })).rejects.toMatchObject({ code: 'EVIDENCE_FAILED' });
    expect(readdirSync(f.root)).not.toContain('store');
  });

  it('are looked for in as many folders inside each other as may be open, and refused behind that', async () => {
    f.write(f.work, { [`${'d/'.repeat(MOST_NESTED)}x.txt`]: 'x' });
    expect(await collect(['**/x.txt'])).toHaveLength(1);
    mkdirSync(join(f.work, 'd/'.repeat(MOST_NESTED + 1)));
    await expect(collect(['**/x.txt'])).rejects.toThrow('there are more than 256 folders inside each other');
  });

  it('never are folders, devices or pipes, and a pipe is not waited for', async () => {
    mkdirSync(join(f.work, 'folder'));
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(f.work, 'pipe')]);
    for (const declared of ['folder', 'pipe', 'p*']) {
      await expect(collect([declared])).rejects.toThrow('is no regular file');
    }
  });

  it('are refused by their declaration where it is absolute, climbs or leads into a git directory', async () => {
    f.write(f.work, { '.git/config': 'x' });
    const declarations = [
      '/etc/passwd',
      '../secret.txt',
      'a/../../x',
      '',
      'a//b',
      './a',
      '.git/config',
      '.GIT/x',
      'a\0b',
      'a\nb',
      'a\\b',
    ];
    for (const declared of declarations) {
      await expect(collect([declared]), JSON.stringify(declared)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    }
    expect(await collect(['**/config'])).toEqual([]);
  });

  it('that are declared by path have to be there', async () => {
    await expect(collect(['dist/app.js'])).rejects.toThrow('`dist/app.js` is not there');
  });

  it('keep to the limits, and nothing of what is too long is kept', async () => {
    f.write(f.work, { 'a/1': 'x'.repeat(900), 'a/2': 'y'.repeat(900), 'a/3': 'z'.repeat(900) });
    await expect(collect(['a/*'])).rejects.toThrow('larger than 200 bytes');
    await expect(collect(['a/1'], { limits: { maxArtifactBytes: 899 } })).rejects.toThrow('larger than 899 bytes');
    await expect(collect(['a/*'], { limits: { maxArtifacts: 2 } })).rejects.toThrow('more than 2 of them');
    await expect(collect(['a/*'], { limits: { maxEntries: 3 } })).rejects.toThrow('more than 3 files and folders');
    await expect(f.store.put(chunks(), 10)).rejects.toMatchObject({ code: 'EVIDENCE_FAILED' });
    expect(readdirSync(join(f.root, 'store')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('are given out whole only where they are what their digest says', async () => {
    const { sha256 } = await f.store.putBytes(Buffer.from('content'));
    expect(Buffer.from(await f.store.load(sha256, 7)).toString()).toBe('content');
    await expect(f.store.load(sha256, 6)).rejects.toMatchObject({ code: 'EVIDENCE_INVALID' });
    writeFileSync(await f.store.pathOf(sha256), 'Content');
    await expect(f.store.load(sha256, 7)).rejects.toMatchObject({ code: 'EVIDENCE_INVALID' });
    await f.store.remove(sha256);
    await expect(f.store.load(sha256, 7)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(f.store.pathOf('../../secret.txt')).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    rmSync(join(f.root, 'store'), { recursive: true });
  });

  it('are matched by parts, one name after the other', () => {
    const effort = { steps: 0 };
    const matches = (text: string, path: string) => {
      const pattern = parseArtifactPattern(text);
      const progress = path
        .split('/')
        .reduce((before, name) => advance(pattern, before, name, effort), beginOf(pattern));
      return isWhole(pattern, progress);
    };
    expect(matches('**/*.js', 'a.js')).toBe(true);
    expect(matches('a/**/b', 'a/b')).toBe(true);
    expect(matches('a/**/b', 'a/x/y/b')).toBe(true);
    expect(matches('a/**/b', 'a/x/y/b/c')).toBe(false);
    expect(matches('a/**', 'a/b')).toBe(true);
    expect(matches('a/*', 'a/b/c')).toBe(false);
    expect(matches('a/*', 'a')).toBe(false);
    expect(matches('?.t*t', 'x.txt')).toBe(true);
    expect(matches('**', 'x/y')).toBe(true);
    expect(matches('**/**/**/a***b', 'x/ab')).toBe(true);
    expect(matches('a.b', 'axb')).toBe(false);
    effort.steps = 0;
    expect(matches(`${'**/a/'.repeat(15)}b`, 'a/'.repeat(200).concat('c'))).toBe(false);
    expect(matches(`${'*a'.repeat(15)}b`, 'a'.repeat(255))).toBe(false);
    expect(effort.steps).toBeLessThan(50_000);
  });

  it('are no pattern of more parts or wildcards than a matching of every file can bear', () => {
    for (const text of [`${'a/'.repeat(64)}*`, `${'**/a/'.repeat(17)}b`, `${'*a'.repeat(17)}`]) {
      expect(() => parseArtifactPattern(text)).toThrow('has more than 64 parts or 16 of `*` and `**`');
    }
    expect(parseArtifactPattern(`${'a/'.repeat(200)}b`).literal).toBe(true);
    expect(parseArtifactPattern('**/'.repeat(300).concat('**')).parts).toEqual(['**']);
  });

  it('are looked for no longer than a node can bear, and others have their turn meanwhile', async () => {
    const names = Array.from({ length: 40 }, (_, at) => `${'a'.repeat(240)}${at}`);
    f.write(f.work, Object.fromEntries(names.map((name) => [name, ''])));
    const patterns = Array.from({ length: 40 }, (_, at) => `*${'a'.repeat(100)}${at}b`);
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const looking = collect(patterns, { limits: { maxSteps: 1_000_000_000 } }).finally(() => {
      isOver = true;
    });
    expect(await looking).toEqual([]);
    expect(turns).toBeGreaterThan(15);
    await expect(collect(patterns)).rejects.toMatchObject({
      code: 'EVIDENCE_FAILED',
      message: expect.stringContaining('take too long'),
    });
  });

  it('are looked for only where a pattern leads', async () => {
    f.write(f.work, { 'in/a/x': '1', 'in/b/x': '2', 'other/x': '3', 'other/y': '4' });
    expect((await collect(['in/*/x'], { limits: { maxEntries: 6 } })).map(({ name }) => name)).toEqual([
      ...['in/a/x', 'in/b/x'],
    ]);
  });
});

async function* chunks(): AsyncIterable<Uint8Array> {
  yield Buffer.alloc(6);
  yield Buffer.alloc(6);
}
