import { chmodSync, lstatSync, readdirSync, readFileSync, readlinkSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { underUmask } from '@writ/core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Applied, applyResult } from './apply.ts';
import { collectEvidence } from './collect.ts';
import type { OwnersShell } from './read-words.ts';
import type { Result } from './result-schema.ts';
import { BUNDLE_LIMITS, createFixture, type Fixture, TASK } from './testing/fixture.ts';
import { createEvidenceNodes, type EvidenceNodes } from './testing/nodes.ts';
import type { Changes } from './types.ts';

type Changed = Extract<Changes, { kind: 'changed' }>;
const BRANCH = `writ/${TASK}`;

let f: Fixture;
let nodes: EvidenceNodes;
beforeAll(async () => {
  nodes = await createEvidenceNodes(2);
});
afterAll(() => nodes.remove());
beforeEach(() => {
  f = createFixture();
  f.write(f.owner, { 'a.txt': 'one\ntwo\n', 'mixed.md': 'one\r\ntwo\n', 'id.c': '/* $Id$ */\n', run: '#!/bin/sh\n' });
  chmodSync(join(f.owner, 'run'), 0o755);
  symlinkSync('a.txt', join(f.owner, 'link'));
  f.commit(f.owner);
  f.clone();
});
afterEach(() => f.remove());

/** What a task has done to it: applied to a clone that the owner's git has made. */
async function applied(
  repository: string,
  files: Readonly<Record<string, string>>,
  shell?: OwnersShell,
): Promise<Applied> {
  f.write(f.work, files);
  const base = f.git(f.owner, 'rev-parse', 'HEAD');
  const changes = (await collectEvidence(f.request(base))) as Changed;
  const { result } = nodes.sign(nodes.nodes, { task: TASK, changes: changes as Result['changes'] });
  const bundleFile = await f.store.pathOf(changes.bundle.sha256);
  const about = { ...f.gitWork, guard: f.guard, result, bundleFile, repository, limits: BUNDLE_LIMITS };
  return applyResult({ ...about, words: f.words, check: false, checkout: true, shell });
}

/** Everything that lies in a working tree: kind, permissions and bytes of each file. */
function everything(dir: string): unknown {
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) => !/^\.git(\/|$)/.test(name));
  return names.sort().map((name) => {
    const path = join(dir, name);
    const { mode } = lstatSync(path);
    if (lstatSync(path).isSymbolicLink()) return [name, mode, readlinkSync(path)];
    return [name, mode, lstatSync(path).isFile() ? readFileSync(path, 'latin1') : ''];
  });
}

const CHANGES = {
  'a.txt': 'one\n2\n',
  'mixed.md': 'one\r\n2\n',
  'crlf.md': 'one\r\ntwo\r\n',
  'id.c': '/* $Id$ */\n// x\n',
  'b/new.txt': 'n\n',
  'b/b.bin': 'a\n\0b\n',
  'wide.u16': 'wide\n',
};

/** What an owner has set everywhere, in the repository, and which attributes there are: everywhere, the repository's own, and the tree's. */
interface Form {
  readonly everywhere?: readonly string[];
  readonly own?: readonly string[];
  readonly attributes?: string;
  readonly ownAttributes?: string;
  readonly treeAttributes?: string;
}

const FORMS: readonly Form[] = [
  {},
  { everywhere: ['core.autocrlf=true'] },
  { everywhere: ['core.autocrlf=true'], own: ['core.autocrlf=false'] },
  { everywhere: ['core.autocrlf=input', 'core.safecrlf=true'], treeAttributes: '*.txt text=auto\n*.c ident\n' },
  { everywhere: ['core.eol=crlf'], treeAttributes: '* text=auto\n' },
  { everywhere: ['core.eol=crlf'], treeAttributes: '*.txt text eol=lf\n*.c text\n' },
  { everywhere: ['core.eol=crlf'], own: ['core.autocrlf=input'], treeAttributes: '* text=auto\n' },
  { attributes: '*.txt text eol=crlf\n[attr]wide text working-tree-encoding=UTF-16LE-BOM\n*.u16 wide\n' },
  { attributes: '*.txt text eol=crlf\n', treeAttributes: 'b/*.txt -text\n' },
  { attributes: '*.txt text eol=crlf\n', ownAttributes: 'a.txt -text\n*.c ident\n' },
  { everywhere: ['core.symlinks=false', 'core.fileMode=false'] },
  { everywhere: ['core.symlinks=false'], own: ['core.symlinks=true'] },
  { everywhere: ['filter.other.smudge=tr a-z A-Z'], treeAttributes: '*.txt filter=nobody text eol=crlf\n' },
];

describe('what is checked out', () => {
  it.each(FORMS.map((form) => [JSON.stringify(form), form] as const))(
    'is as the owner’s git writes it: %s',
    async (_, form) => {
      for (const setting of form.everywhere ?? []) {
        const [key = '', value = ''] = setting.split('=');
        f.git(f.root, 'config', '--global', key, value);
      }
      if (form.attributes !== undefined) {
        f.write(f.root, { everywhere: form.attributes });
        f.git(f.root, 'config', '--global', 'core.attributesFile', join(f.root, 'everywhere'));
      }
      const [ours, theirs] = ['ours', 'theirs'].map((name) => {
        const dir = join(f.root, name);
        f.git(f.root, 'clone', '--quiet', '--no-checkout', f.owner, name);
        for (const setting of form.own ?? []) f.git(dir, 'config', ...setting.split('='));
        if (form.ownAttributes !== undefined) f.write(dir, { '.git/info/attributes': form.ownAttributes });
        f.git(dir, 'checkout', '--quiet', 'main');
        return dir;
      }) as [string, string];
      symlinkSync('b/new.txt', join(f.work, 'new-link'));
      f.write(f.work, { 'new-run': '#!/bin/sh\n' });
      chmodSync(join(f.work, 'new-run'), 0o755);
      const attributes: Record<string, string> =
        form.treeAttributes === undefined ? {} : { '.gitattributes': form.treeAttributes };
      expect(await applied(ours, { ...CHANGES, ...attributes })).toMatchObject({ checkedOut: true });
      f.git(theirs, 'fetch', '--quiet', ours, `${BRANCH}:${BRANCH}`);
      f.git(theirs, 'switch', '--quiet', BRANCH);
      expect(everything(ours)).toEqual(everything(theirs));
      expect(f.git(ours, 'status', '--porcelain')).toBe(f.git(theirs, 'status', '--porcelain'));
      expect(f.git(ours, 'symbolic-ref', 'HEAD')).toBe(`refs/heads/${BRANCH}`);
    },
  );

  it.each([
    [0o022, undefined],
    [0o077, undefined],
    [0o077, 'group'],
    [0o022, '0640'],
    [0o002, 'umask'],
  ])('is for whom the owner’s git makes it (umask %i, core.sharedRepository %s)', async (umask, shared) => {
    const [ours, theirs] = ['ours', 'theirs'].map((name) => {
      const dir = join(f.root, name);
      underUmask(umask, () => {
        f.git(f.root, 'clone', '--quiet', '--no-hardlinks', f.owner, name);
        if (shared !== undefined) f.git(dir, 'config', 'core.sharedRepository', shared);
      });
      return dir;
    }) as [string, string];
    const another = umask === 0o077 ? 0o022 : 0o077;
    const before = process.umask(another);
    try {
      expect(await applied(ours, CHANGES, { umask })).toMatchObject({ checkedOut: true });
    } finally {
      process.umask(before);
    }
    underUmask(umask, () => {
      // Packs, as they come in here.
      f.git(theirs, '-c', 'fetch.unpackLimit=1', 'fetch', '--quiet', ours, `${BRANCH}:${BRANCH}`);
      f.git(theirs, 'switch', '--quiet', BRANCH);
    });
    expect(everything(ours)).toEqual(everything(theirs));
    for (const name of ['HEAD', 'index', 'logs/HEAD', 'refs/heads/writ', `refs/heads/${BRANCH}`]) {
      const [our, their] = [ours, theirs].map((dir) => statSync(join(dir, '.git', name)).mode.toString(8));
      expect(`${name} ${our}`).toBe(`${name} ${their}`);
    }
    const packs = (dir: string): unknown =>
      readdirSync(join(dir, '.git/objects/pack'))
        .filter((name) => /\.(pack|idx)$/.test(name))
        .map((name) => [name.replace(/.*\./, ''), statSync(join(dir, '.git/objects/pack', name)).mode.toString(8)])
        .sort();
    expect(packs(ours)).toEqual(packs(theirs));
  });

  it.each([
    ['smudge', 'which is not run here'],
    ['process', 'which is not run here'],
    ['required', 'which is not run here'],
  ])('is refused where a program is named that would write it (%s)', async (name, why) => {
    f.git(f.root, 'config', '--global', `filter.x.${name}`, name === 'required' ? 'true' : 'touch ran');
    await expect(applied(f.owner, { ...CHANGES, '.gitattributes': '*.txt filter=x\n' })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(why),
    });
    expect(f.git(f.owner, 'branch', '--list', BRANCH)).toBe('');
    expect(readFileSync(join(f.owner, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
  });

  it('is refused where what is set cannot be read', async () => {
    f.git(f.root, 'clone', '--quiet', f.owner, 'circle');
    f.git(join(f.root, 'circle'), 'config', 'include.path', 'config');
    await expect(applied(join(f.root, 'circle'), CHANGES)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('what you have told git cannot be read: exceeded maximum include depth'),
      nextSteps: [expect.stringContaining('git config --list'), expect.stringContaining('without the working tree')],
    });
  });

  it('is as the owner’s git writes it by what is included for the repository', async () => {
    f.git(f.root, 'config', '--global', 'includeIf.gitdir:~/owner/.path', 'more');
    f.git(f.root, 'config', '--file', join(f.root, 'more'), 'core.eol', 'crlf');
    f.git(f.owner, 'config', 'include.path', 'more');
    f.git(f.owner, 'config', '--file', '.git/more', 'core.attributesFile', '~/attributes');
    f.write(f.root, { attributes: '*.txt text\n' });
    expect(await applied(f.owner, CHANGES)).toMatchObject({ checkedOut: true });
    expect(readFileSync(join(f.owner, 'b/new.txt'), 'utf8')).toBe('n\r\n');
    expect(f.git(f.owner, 'status', '--porcelain')).toBe('');
  });

  it('goes through no program on the way out where one is named for the way in alone', async () => {
    f.git(f.root, 'config', '--global', 'filter.x.clean', 'touch ran; cat');
    expect(await applied(f.owner, { ...CHANGES, '.gitattributes': '*.new filter=x\n', 'x.new': 'x\n' })).toMatchObject({
      checkedOut: true,
    });
    expect(readFileSync(join(f.owner, 'x.new'), 'utf8')).toBe('x\n');
    expect(readdirSync(f.owner)).not.toContain('ran');
  });
});
