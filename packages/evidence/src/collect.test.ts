import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { isWritError, type WritError } from '@writ/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collectEvidence } from './collect.ts';
import { createFixture, type Fixture, LIMITS } from './testing/fixture.ts';
import { growingIndex } from './testing/growing-index.ts';
import type { Changes, CollectRequest, GitStep } from './types.ts';

type Changed = Extract<Changes, { kind: 'changed' }>;

describe('evidence of a workspace', () => {
  let f: Fixture;
  let base: string;
  beforeEach(() => {
    f = createFixture();
    f.write(f.owner, { 'a.txt': 'one\ntwo\n', 'dir/b.txt': 'b\n', 'gone.txt': 'g\n', '.gitignore': 'out/\n*.log\n' });
    base = f.commit(f.owner);
    f.clone();
  });
  afterEach(() => f.remove());

  const changed = async (more: Partial<CollectRequest> = {}): Promise<Changed> => {
    const changes = await collectEvidence(f.request(base, more));
    if (changes.kind !== 'changed') throw new Error('nothing has changed');
    return changes;
  };
  const failure = async (request: CollectRequest = f.request(base)): Promise<WritError> => {
    const error: unknown = await collectEvidence(request).then(
      (changes) => new Error(`it was ${changes.kind}`),
      (thrown) => thrown,
    );
    if (!isWritError(error)) throw error;
    return error;
  };
  const paths = (changes: Changed): string[] => changes.files.map((file) => `${file.status} ${file.path}`);
  const patchOf = async ({ patch }: Changed): Promise<string> =>
    Buffer.from(await f.store.load(patch.sha256, patch.bytes)).toString();

  it('says that nothing has changed where the files are those of the base', async () => {
    const tree = f.git(f.owner, 'rev-parse', `${base}^{tree}`);
    expect(await collectEvidence(f.request(base))).toEqual({ kind: 'none', base, tree });
    expect(readdirSync(f.gitWork.gitDirRoot)).toEqual([]);
  });

  it.each(['base', 'task'])('is whole where git passes over attributes of the %s', async (whose) => {
    const wrong = ['!*.txt text', '*.txt -!foo', `*.txt ${'a'.repeat(5000)}`].join('\n');
    const files = { '.gitattributes': wrong, 'dir/.gitattributes': '[attr]foo text\n', 'link/a.txt': 'a\n' };
    const where = whose === 'base' ? f.owner : f.work;
    f.write(where, files);
    symlinkSync('../.gitattributes', join(where, 'link/.gitattributes'));
    const began = whose === 'base' ? f.commit(f.owner) : base;
    if (whose === 'base') f.git(f.work, 'pull', '--quiet');
    f.write(f.work, { 'a.txt': 'two\n', 'dir/new.txt': 'n\n', 'link/a.txt': 'b\n' });
    // Younger than every index, so that git looks at what is in them, by their attributes.
    for (const name of ['a.txt', 'dir/new.txt', 'link/a.txt']) utimesSync(join(f.work, name), 4e9, 4e9);
    expect(paths(await changed(f.request(began)))).toEqual(expect.arrayContaining(['M a.txt', 'A dir/new.txt']));
  });

  it('covers committed, staged, unstaged and untracked work as one tree, ignored files not', async () => {
    f.write(f.work, { 'committed.txt': 'c\n' });
    f.commit(f.work);
    f.write(f.work, { 'staged.txt': 's\n' });
    f.git(f.work, 'add', 'staged.txt');
    f.write(f.work, { 'a.txt': 'one\n2\n', 'untracked.txt': 'u\n', 'out/x': 'ignored', 'debug.log': 'ignored' });
    rmSync(join(f.work, 'gone.txt'));
    const changes = await changed();
    expect(paths(changes)).toEqual(['M a.txt', 'A committed.txt', 'D gone.txt', 'A staged.txt', 'A untracked.txt']);
    expect(changes).toMatchObject({ base, insertions: 4, deletions: 2 });
    const text = await patchOf(changes);
    expect(text).toContain('-two\n+2\n');

    const bundle = await f.store.pathOf(changes.bundle.sha256);
    f.git(f.owner, 'fetch', '--quiet', bundle, 'refs/writ/head:refs/heads/got');
    expect(f.git(f.owner, 'rev-parse', 'got', 'got^{tree}', 'got^')).toBe(
      [changes.head, changes.tree, base].join('\n'),
    );
    expect(f.git(f.owner, 'log', '-1', '--format=%an|%ae|%at|%cn|%ct', 'got')).toMatch(
      /^Writ node (wn-a+)\|\1@writ.invalid\|1756684800\|Writ node \1\|1756684800$/,
    );
    expect(statSync(bundle).mode & 0o777).toBe(0o600);
    expect(readdirSync(f.gitWork.gitDirRoot)).toEqual([]);
  });

  it('includes ignored files that the base or the agent tracks', async () => {
    f.write(f.work, { 'out/forced.txt': 'f\n', 'out/not.txt': 'n\n' });
    f.git(f.work, 'add', '--force', 'out/forced.txt');
    f.git(f.work, 'commit', '--quiet', '-m', 'forced');
    f.write(f.work, { '.gitignore': 'out/\n*.log\na.txt\n', 'a.txt': 'changed\n' });
    expect(paths(await changed())).toEqual(['M .gitignore', 'M a.txt', 'A out/forced.txt']);
  });

  it('works in a repository without commits', async () => {
    rmSync(f.work, { recursive: true });
    f.git(f.root, 'init', '--quiet', f.work);
    expect(await collectEvidence(f.request(undefined))).toMatchObject({ kind: 'none', base: null });
    f.write(f.work, { 'first.txt': '1\n' });
    const changes = await collectEvidence(f.request(undefined));
    expect(changes).toMatchObject({ kind: 'changed', base: null, insertions: 1 });
    const bundle = await f.store.pathOf((changes as Changed).bundle.sha256);
    f.git(f.owner, 'fetch', '--quiet', bundle, 'refs/writ/head:refs/heads/got');
    expect(f.git(f.owner, 'ls-tree', '--name-only', 'got')).toBe('first.txt');
  });

  it('works against an owner whose history is cut off', async () => {
    f.write(f.owner, { 'a.txt': 'newer\n' });
    base = f.commit(f.owner);
    const shallow = join(f.root, 'shallow');
    f.git(f.root, 'clone', '--quiet', '--depth=1', `file://${f.owner}`, shallow);
    f.write(f.work, { 'new.txt': 'n\n' });
    const changes = await changed({ baseRepository: shallow });
    expect(paths(changes)).toEqual(['M a.txt', 'A new.txt']);
    f.git(shallow, 'fetch', '--quiet', await f.store.pathOf(changes.bundle.sha256), 'refs/writ/head');
  });

  it('names paths with newlines, leading dashes and bytes that are no text', async () => {
    f.write(f.work, { '-rf': 'x\n', 'new\nline': 'y\n', 'tab\t"q"': 'z\n', ü: 'u\n' });
    writeFileSync(Buffer.concat([Buffer.from(`${f.work}/`), Buffer.from([0x66, 0xff, 0x6f])]), 'bytes\n');
    const changes = await changed();
    expect(changes.files.map(({ path, encoding }) => [path, encoding])).toEqual([
      ['-rf', 'utf8'],
      [Buffer.from([0x66, 0xff, 0x6f]).toString('base64'), 'base64'],
      ['new\nline', 'utf8'],
      ['tab\t"q"', 'utf8'],
      ['ü', 'utf8'],
    ]);
  });

  it('tells links, modes, types and binary content apart', async () => {
    f.write(f.work, { 'bin.dat': Buffer.from([0, 1, 2, 255]) });
    chmodSync(join(f.work, 'a.txt'), 0o755);
    rmSync(join(f.work, 'gone.txt'));
    symlinkSync('/etc/passwd', join(f.work, 'gone.txt'));
    const changes = await changed();
    expect(changes.files).toMatchObject([
      { path: 'a.txt', status: 'M', oldMode: '100644', mode: '100755', insertions: 0 },
      { path: 'bin.dat', status: 'A', oldMode: '000000', insertions: null, deletions: null },
      { path: 'gone.txt', status: 'T', mode: '120000' },
    ]);
    expect(await patchOf(changes)).toContain('GIT binary patch');
    expect(await patchOf(changes)).not.toContain('root:');
  });

  it('runs nothing of the agent: hooks, filters, text conversion, diff drivers, monitors', async () => {
    const witness = join(f.root, 'witness');
    const script = join(f.root, 'evil.sh');
    writeFileSync(script, `#!/bin/sh\necho "$0 $*" >> ${witness}\ncat\n`, { mode: 0o755 });
    const settings = {
      'core.fsmonitor': script,
      'core.hooksPath': join(f.root, 'hooks'),
      'filter.evil.clean': script,
      'filter.evil.smudge': script,
      'filter.evil.process': script,
      'filter.evil.required': 'true',
      'diff.evil.command': script,
      'diff.evil.textconv': script,
      'diff.external': script,
      'merge.evil.driver': script,
      'core.pager': script,
      'core.attributesFile': join(f.work, 'own-attributes'),
      'core.excludesFile': join(f.work, 'own-excludes'),
      'core.sshCommand': script,
      'gpg.program': script,
      'commit.gpgSign': 'true',
    };
    f.write(f.work, {
      'x.evil': 'x\n',
      'own-excludes': '*\n',
      '.gitattributes': '* filter=evil diff=evil merge=evil -text\n',
    });
    const quiet = await changed();
    for (const [key, value] of Object.entries(settings)) f.git(f.work, 'config', key, value);
    f.write(f.work, { '.git/info/exclude': '*\n', '.git/info/attributes': '* filter=evil\n' });
    for (const hook of ['pre-commit', 'post-checkout', 'reference-transaction', 'post-index-change']) {
      f.write(f.root, { [`hooks/${hook}`]: `#!/bin/sh\necho ${hook} >> ${witness}\n` });
      chmodSync(join(f.root, 'hooks', hook), 0o755);
    }
    const loud = await changed();
    expect(existsSync(witness)).toBe(false);
    expect(loud).toEqual(quiet);
    expect(paths(loud)).toContain('A x.evil');
  });

  it('shows content byte for byte whatever the attributes of the tree want', async () => {
    const plain = { 'crlf.txt': 'a\r\nb\r\n', 'id.txt': '$Id: x$\n', 'hidden.txt': 'not binary\n' };
    f.write(f.work, { ...plain, '.gitattributes': '* text eol=crlf ident -diff working-tree-encoding=UTF-16\n' });
    const changes = await changed();
    const text = await patchOf(changes);
    for (const line of ['+a\r\n+b\r\n', '+$Id: x$\n', '+not binary\n']) expect(text).toContain(line);
  });

  it('takes a file that a checkout wrote in another form for what it is: untouched', async () => {
    f.write(f.owner, {
      '.gitattributes': '*.bat text eol=crlf\n*.id ident\n',
      'run.bat': 'one\ntwo\n',
      'x.id': '$Id$\n',
    });
    base = f.commit(f.owner);
    f.git(f.work, 'pull', '--quiet');
    expect(statSync(join(f.work, 'run.bat')).size).toBe('one\r\ntwo\r\n'.length);
    expect(await collectEvidence(f.request(base))).toMatchObject({ kind: 'none' });
    f.write(f.work, { 'x.id': 'changed\n' });
    expect(paths(await changed())).toEqual(['M x.id']);
    // What the agent says about attributes changes nothing of this.
    f.write(f.work, { '.gitattributes': '*.bat -text\n' });
    expect(paths(await changed())).toEqual(['M .gitattributes', 'M x.id']);
    // Changed, it goes back into the form in which the base keeps it: one line is new, not all.
    f.write(f.work, { 'run.bat': 'one\r\ntwo\r\nthree\r\n' });
    const more = await changed();
    expect(paths(more)).toEqual(['M .gitattributes', 'M run.bat', 'M x.id']);
    expect(more.files[1]).toMatchObject({ insertions: 1, deletions: 0 });
    expect(await patchOf(more)).toContain(' two\n+three\n');
  });

  it('is the same on another locale, umask, configuration and place', async () => {
    f.write(f.work, { 'ü.txt': 'ü\n', 'a.txt': 'one\nthree\n', 'bin.dat': Buffer.alloc(5000, 7) });
    const here = await changed();
    const elsewhere = join(f.root, 'else where');
    renameSync(f.work, elsewhere);
    f.git(elsewhere, 'config', 'core.autocrlf', 'true');
    f.git(elsewhere, 'config', 'diff.noprefix', 'true');
    f.git(elsewhere, 'config', 'diff.algorithm', 'patience');
    f.write(f.root, { '.gitconfig': '[core]\n\tquotePath = false\n[diff]\n\tcontext = 9\n\tnoprefix = true\n' });
    const umask = process.umask(0o077);
    try {
      const there = await changed({
        workspaceDir: elsewhere,
        git: (call) => f.gitWork.git({ ...call, env: { ...call.env, LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' } }),
      });
      expect(there).toEqual(here);
    } finally {
      process.umask(umask);
    }
  });

  it('takes the files of a repository inside like any others, and refuses its git directory by name', async () => {
    f.git(f.work, 'init', '--quiet', 'vendor/lib');
    f.write(f.work, {
      'vendor/lib/x.c': 'x\n',
      'vendor/lib/.gitignore': '*.o\n',
      'vendor/lib/x.o': 'o',
      'b.txt': 'b\n',
    });
    f.commit(join(f.work, 'vendor/lib'));
    f.git(f.work, 'init', '--quiet', 'vendor/lib/deeper/one');
    f.git(f.work, 'init', '--quiet', 'empty');
    f.write(f.work, { 'vendor/lib/deeper/one/y.c': 'y\n' });
    // In the index of the agent it is a commit that nobody else has.
    f.git(f.work, 'add', 'vendor/lib');
    const changes = await changed();
    expect(paths(changes)).toEqual([
      'A b.txt',
      ...['A vendor/lib/.gitignore', 'A vendor/lib/deeper/one/y.c', 'A vendor/lib/x.c'],
    ]);
    expect(changes.refused?.map(({ path }) => path)).toEqual([
      ...['empty/.git', 'vendor/lib/.git', 'vendor/lib/deeper/one/.git'],
    ]);
    expect(f.git(f.work, 'ls-files', 'vendor')).toBe('vendor/lib');
  });

  it('says that nothing has changed beside a repository inside that holds no file', async () => {
    f.git(f.work, 'init', '--quiet', 'empty');
    f.write(f.work, { 'elsewhere/.git': 'gitdir: /nonexistent\n' });
    const refused = ['elsewhere/.git', 'empty/.git'].map((path) => ({ path, encoding: 'utf8' }));
    expect(await collectEvidence(f.request(base))).toMatchObject({ kind: 'none', refused });
    rmSync(join(f.work, 'elsewhere'), { recursive: true });
    rmSync(join(f.work, 'empty'), { recursive: true });
    // Ignored as a whole it hides nothing that would have been shown.
    f.write(f.work, { 'out/pkg/.git/HEAD': 'ref: x\n', 'out/:(top)*/.git/HEAD': 'ref: x\n' });
    expect(await collectEvidence(f.request(base))).not.toHaveProperty('refused');
  });

  it('refuses by name whatever some file system takes for a git directory, and takes what lies beside', async () => {
    const names = ['.GIT', 'git~1', '.git.', '.git::$INDEX_ALLOCATION', '.git\\x'];
    for (const name of names) f.write(f.work, { [`sub/${name}`]: 'gitdir: /elsewhere\n' });
    f.write(f.work, { '.Git/config': 'x\n', '.GIT/in/.git/HEAD': 'ref: x\n', 'sub/beside': 'b\n' });
    const changes = await changed();
    expect(paths(changes)).toEqual(['A sub/beside']);
    expect(changes.refused?.map(({ path }) => path)).toEqual(
      ['.GIT', '.Git', ...names.map((name) => `sub/${name}`)].sort(),
    );
    for (let at = 0; at < 1000; at++) f.write(f.work, { [`many/${at}/.git`]: '' });
    expect((await failure()).message).toContain('more than 1000 repositories in it');
  });

  it('compares a name that git keeps like any other, whatever nobody sees in it', async () => {
    const unseen = ['\u00ad', '\u2060', '\u061c', '\u{e0061}'].map((one) => `dd/.g${one}it/kept`);
    f.write(f.owner, Object.fromEntries(unseen.map((path) => [path, 'kept\n'])));
    base = f.commit(f.owner);
    f.git(f.work, 'pull', '--quiet');
    const [gone = '', edited = ''] = unseen;
    rmSync(join(f.work, gone));
    f.write(f.work, { [edited]: 'edited\n', 'dd/.git\u00ad': 'new\n' });
    const changes = await changed();
    expect([...paths(changes)].sort()).toEqual([`A dd/.git\u00ad`, `D ${gone}`, `M ${edited}`]);
    expect(changes).not.toHaveProperty('refused');
  });

  it('tells files that took the place of folders, of links and of repositories inside, and the other way', async () => {
    f.write(f.owner, { 'tofile/a': '1\n', 'tolink/a': '2\n', tofolder: '3\n', torepo: '4\n', 'kept/a': '5\n' });
    base = f.commit(f.owner);
    f.git(f.work, 'pull', '--quiet');
    for (const name of ['tofile', 'tolink', 'tofolder', 'torepo']) rmSync(join(f.work, name), { recursive: true });
    symlinkSync('kept', join(f.work, 'tolink'));
    f.git(f.work, 'init', '--quiet', 'torepo');
    f.write(f.work, { tofile: '1\n', 'tofolder/a': '3\n', 'torepo/a': '4\n' });
    expect(paths(await changed())).toEqual([
      ...['A tofile', 'D tofile/a', 'D tofolder', 'A tofolder/a', 'A tolink', 'D tolink/a', 'D torepo', 'A torepo/a'],
    ]);
  });

  it.each(['sha1', 'sha256'])('takes in all of an index that is split, of %s', async (format) => {
    if (format === 'sha256') {
      rmSync(f.owner, { recursive: true });
      rmSync(f.work, { recursive: true });
      f.git(f.root, 'init', '--quiet', '--initial-branch=main', '--object-format=sha256', f.owner);
      f.write(f.owner, { '.gitignore': 'x.o\n' });
      base = f.commit(f.owner);
      f.clone();
    }
    f.write(f.work, { '.gitignore': '*.ign\nx.o\n', 'new.txt': 'new\n', 'forced.ign': 'x\n' });
    f.git(f.work, 'add', '--force', '.');
    f.git(f.work, 'update-index', '--split-index');
    f.write(f.work, { 'link/more.ign': 'more\n' });
    f.git(f.work, '-c', 'splitIndex.maxPercentChange=100', 'add', '--force', '.');
    f.git(f.work, '-c', 'splitIndex.maxPercentChange=100', 'write-tree');
    const shared = readdirSync(join(f.work, '.git')).filter((name) => name.startsWith('sharedindex.'));
    expect(shared).toHaveLength(1);
    expect(paths(await changed())).toEqual(expect.arrayContaining(['A forced.ign', 'A link/more.ign', 'A new.txt']));
    // What is only there by another name is not followed.
    const [name = ''] = shared;
    renameSync(join(f.work, '.git', name), join(f.root, name));
    symlinkSync(join(f.root, name), join(f.work, '.git', name));
    expect((await failure()).details).toEqual({ step: 'index' });
  });

  it.each(['alone', 'split'])('has git read no index whose names come to more than there can be: %s', async (form) => {
    let index = join(f.work, '.git', 'index');
    if (form === 'split') {
      f.git(f.work, 'update-index', '--split-index');
      const shared = readdirSync(join(f.work, '.git')).find((name) => name.startsWith('sharedindex.'));
      index = join(f.work, '.git', shared ?? 'none');
    }
    writeFileSync(index, growingIndex(20_000));
    const steps: GitStep[] = [];
    const git: CollectRequest['git'] = (call) => {
      steps.push(call.step);
      return f.gitWork.git(call);
    };
    const { message, details } = await failure(f.request(base, { git }));
    expect(message).toContain('the index of the workspace has a name of more than 4096 bytes');
    expect(details).toEqual({ step: 'index' });
    // Of a split one git has seen the part that names the other, and found it missing.
    expect(steps.filter((step) => step === 'index')).toHaveLength(form === 'split' ? 1 : 0);
  });

  it.each(['.gitignore', 'dir/.gitignore', '.gitattributes', 'new/.GitModules'])(
    'refuses a pipe that is called %s at once: git would wait there',
    async (name) => {
      const there = join(f.work, name);
      rmSync(there, { force: true });
      mkdirSync(join(there, '..'), { recursive: true });
      execFileSync('mkfifo', [there]);
      const steps: GitStep[] = [];
      const git: CollectRequest['git'] = (call) => {
        steps.push(call.step);
        return f.gitWork.git(call);
      };
      const { message, details } = await failure(f.request(base, { git }));
      expect(message).toContain(`\`${name}\` is a pipe, a socket or a device, and git would read it`);
      expect(details).toEqual({ step: 'scan' });
      expect(steps).not.toContain('scan');
    },
  );

  it('refuses a redirected git directory and an index that is a link', async () => {
    renameSync(join(f.work, '.git'), join(f.root, 'moved'));
    symlinkSync(join(f.root, 'moved'), join(f.work, '.git'));
    expect((await failure()).details).toEqual({ step: 'index' });
    rmSync(join(f.work, '.git'));
    writeFileSync(join(f.work, '.git'), `gitdir: ${f.root}/moved\n`);
    expect((await failure()).details).toEqual({ step: 'index' });
    rmSync(join(f.work, '.git'));
    expect(await collectEvidence(f.request(base))).toMatchObject({ kind: 'none' });
    f.write(f.work, { '.git/HEAD': '' });
    symlinkSync('/etc/hostname', join(f.work, '.git', 'index'));
    expect((await failure()).message).toContain('the index of the workspace is a link');
    rmSync(join(f.work, '.git', 'index'));
    f.write(f.work, { '.git/index': 'garbage' });
    expect((await failure()).details).toEqual({ step: 'index' });
  });

  it('takes in what a link to patterns would have kept out, as git does', async () => {
    f.write(f.root, { patterns: 'x\n' });
    f.write(f.work, { 'in/x': 'x\n' });
    symlinkSync(join(f.root, 'patterns'), join(f.work, 'in/.gitignore'));
    expect(paths(await changed())).toEqual(['A in/.gitignore', 'A in/x']);
  });

  it('refuses a workspace that has become a link', async () => {
    renameSync(f.work, join(f.root, 'moved'));
    symlinkSync(join(f.root, 'moved'), f.work);
    expect((await failure()).message).toContain('the workspace is a link or behind one');
  });

  it('follows no alternates and no replaced objects of the agent', async () => {
    f.write(f.work, { 'a.txt': 'evil\n' });
    const evil = f.commit(f.work);
    f.git(f.work, 'replace', base, evil);
    f.write(f.work, { '.git/objects/info/alternates': '/nonexistent\n' });
    expect(paths(await changed())).toEqual(['M a.txt']);
    f.git(f.work, 'update-index', '--assume-unchanged', 'a.txt');
    expect(paths(await changed())).toEqual(['M a.txt']);
  });

  it('keeps to its limits', async () => {
    f.write(f.work, { 'x/1': '1', 'x/2': '2', 'x/3': '33333' });
    const limited = (limits: Partial<typeof LIMITS>) => failure(f.request(base, { limits: { ...LIMITS, ...limits } }));
    expect((await limited({ maxEntries: 5 })).message).toContain('more than 5 files and folders');
    expect((await limited({ maxChangedFiles: 2 })).message).toContain('more than 2 files have changed');
    expect((await limited({ maxFileBytes: 4 })).message).toMatch(/is larger than 4 bytes/);
    expect((await limited({ maxTotalBytes: 20 })).message).toContain('the files are larger than 20 bytes');
    expect((await limited({ maxPatchBytes: 20 })).details).toEqual({ step: 'patch' });
    expect((await limited({ maxBundleBytes: 20 })).details).toEqual({ step: 'bundle' });
    expect((await limited({ timeoutMs: 1 })).code).toBe('EVIDENCE_FAILED');
    expect(readdirSync(f.gitWork.gitDirRoot)).toEqual([]);
  });

  it('refuses a base that the trusted repository does not hold, and a short one', async () => {
    expect((await failure(f.request('0'.repeat(39).concat('1')))).details).toEqual({ step: 'base' });
    expect((await failure(f.request('HEAD'))).code).toBe('BAD_REQUEST');
    // The agent's own commits are in no repository that is looked at.
    f.write(f.work, { n: 'n' });
    expect((await failure(f.request(f.commit(f.work)))).details).toEqual({ step: 'base' });
  });

  it('fails with the step where any single call of git fails, is ended, or says nothing', async () => {
    f.write(f.owner, { '.gitattributes': '*.bat text eol=crlf\n', 'run.bat': 'one\n', 'b.bat': 'b\n' });
    base = f.commit(f.owner);
    f.git(f.work, 'pull', '--quiet');
    f.write(f.work, { 'a.txt': '2\n', 'b.bat': 'c\r\n', 'out/forced': 'f\n', 'in/.git/HEAD': 'x' });
    rmSync(join(f.work, 'gone.txt'));
    f.git(f.work, 'add', '--force', 'out/forced');
    const steps: GitStep[] = [];
    const good = await changed({
      git: (call) => {
        steps.push(call.step);
        return f.gitWork.git(call);
      },
    });
    expect(paths(good)).toEqual(['M a.txt', 'M b.bat', 'D gone.txt', 'A out/forced']);
    expect(new Set(steps)).toEqual(
      new Set(['init', 'base', 'index', 'scan', 'add', 'restore', 'tree', 'commit', 'changes', 'patch', 'bundle']),
    );
    const answers = [
      { exitCode: 128, stdout: new Uint8Array(), reason: 'broken on purpose' },
      { exitCode: null, stdout: new Uint8Array(), reason: 'it took too long' },
    ];
    let tried = 0;
    for (const [at, step] of steps.entries()) {
      let call = 0;
      const answer = answers[at % 2] ?? answers[0];
      const error = await failure(
        f.request(base, { git: (one) => (call++ === at && answer ? Promise.resolve(answer) : f.gitWork.git(one)) }),
      );
      expect(error).toMatchObject({ code: 'EVIDENCE_FAILED', details: { step } });
      tried++;
    }
    expect(tried).toBe(steps.length);
  }, 120_000);

  it('never says that nothing has changed where git answers with success and does nothing', async () => {
    f.write(f.work, { 'a.txt': 'changed\n' });
    let calls = 0;
    await changed({ git: (call) => f.gitWork.git(call).finally(() => calls++) });
    for (let at = 0; at < calls; at++) {
      let call = 0;
      const outcome = await collectEvidence(
        f.request(base, {
          git: (one) =>
            call++ === at ? Promise.resolve({ exitCode: 0, stdout: new Uint8Array(), reason: '' }) : f.gitWork.git(one),
        }),
      ).then(
        (changes) => changes.kind,
        (error) => error.code,
      );
      expect(outcome, `call ${at}`).not.toBe('none');
    }
  }, 120_000);
});
