import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystemClock, createSystemRandom, silentLogger } from '@writ/core';
import type { EvidenceKit } from '@writ/delegation';
import { collectEvidence, createGitProcess, receiveShipped, shipWorkingTree } from '@writ/evidence';
import { createIdentity } from '@writ/identity';
import { stockConfig } from '@writ/policy';
import { searchPath } from '@writ/runner';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeWith } from '../../../../test/support/require.ts';
import { type Environment, readEnvironment } from '../env.ts';
import { type Home, resolveHome } from '../home.ts';
import { createRealRunner, type RealRunner } from '../testing/real-runner.ts';
import { type Closers, createClosers } from './closers.ts';
import { openEvidence } from './evidence.ts';
import { type Foundations, openFoundations } from './foundations.ts';

const clock = createSystemClock();
const random = createSystemRandom();
const path = searchPath(readEnvironment().all.PATH);
let root: string;
let home: Home;
let base: Foundations;
let real: RealRunner;
let closers: Closers;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'wn-'));
  home = resolveHome(readEnvironment(), join(root, 'home'));
  mkdirSync(home.keysDir, { recursive: true, mode: 0o700 });
  await createIdentity({ dir: home.keysDir, clock, random });
  writeFileSync(home.configFile, stockConfig({ nodeName: 'solo', workspaces: [], isolation: 'none' }), { mode: 0o600 });
  closers = createClosers();
  base = await openFoundations(home, silentLogger, closers);
  real = await createRealRunner(path);
});
afterAll(async () => {
  await real.close();
  await closers.close(0);
  rmSync(root, { recursive: true });
});

/** As a boot of the node does, with an owner whose home is `root`. */
const open = (over: Partial<Environment> = {}): Promise<EvidenceKit> =>
  openEvidence(base, real.runner, {
    ...{ ...readEnvironment(), all: { PATH: path, HOME: root }, homeDir: root, xdgConfigHome: undefined },
    ...over,
  });
const git = (cwd: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
    cwd,
    encoding: 'utf8',
  }).trim();

/** A repository of the owner's with one commit. */
function repository(name: string): string {
  const dir = join(root, name);
  mkdirSync(dir);
  git(dir, 'init', '-q', '-b', 'main');
  writeFileSync(join(dir, 'a.txt'), 'one\n');
  git(dir, 'add', '.');
  git(dir, 'commit', '-q', '-m', 'first');
  return dir;
}

describe('the evidence of a node', () => {
  it('begins without what an earlier boot left half done, and keeps what was whole', async () => {
    const { content, gitDirRoot } = await open();
    const kept = await content.putBytes(Buffer.from('whole'));
    mkdirSync(join(gitDirRoot, 'git-x', 'repository'), { recursive: true });
    mkdirSync(join(gitDirRoot, 'inputs'));
    const [bin, up] = [join(root, 'bin'), join(root, 'up')];
    mkdirSync(bin);
    execFileSync('mkfifo', [up]);
    writeFileSync(join(bin, 'git'), `#!/bin/sh\necho up > ${up}\nexec sleep 300\n`, { mode: 0o755 });
    const call = { step: 'inspect', args: [], cwd: '/', env: { PATH: `${bin}:${path}` } } as const;
    const stray = real.runner.git({ ...call, timeoutMs: 300_000, maxOutputBytes: 1 });
    await readFile(up);
    writeFileSync(join(home.evidenceDir, 'content', `${'0'.repeat(32)}.tmp`), 'half');
    const again = await open();
    expect(await stray).toMatchObject({ exitCode: null });
    expect(readdirSync(gitDirRoot)).toEqual(['inputs']);
    rmSync(gitDirRoot, { recursive: true });
    expect(readdirSync(join(home.evidenceDir, 'content'))).toEqual([kept.sha256.slice(0, 2)]);
    expect(Buffer.from(await again.content.load(kept.sha256, 100)).toString()).toBe('whole');
  });

  it('trusts a peer as long as it is pinned', async () => {
    const { trust } = await open();
    const peer = (await createIdentity({ dir: join(root, 'peer'), clock, random })).public;
    expect(trust.pins.get(peer.id)).toBeUndefined();
    await base.pins.put(peer);
    expect(trust.pins.get(peer.id)).toMatchObject({ id: peer.id });
    await base.pins.remove(peer.id);
    expect(trust.pins.get(peer.id)).toBeUndefined();
    expect(trust.self.id).toBe(base.identity.public.id);
  });

  it('knows what the owner has told git for a repository, as it is at that moment', async () => {
    const gitDir = join(repository('asked'), '.git');
    const asked = { gitDir, commonDir: gitDir };
    writeFileSync(join(gitDir, 'config'), '');
    const found = async (over?: Partial<Environment>) => (await open(over)).words?.(asked);
    const variables = { PATH: path, HOME: root, GIT_CONFIG_NOSYSTEM: '1', GIT_ATTR_NOSYSTEM: '1' };
    const none = { all: variables };
    expect(await found(none)).toEqual({
      settings: new Map(),
      excludesFile: join(root, '.config', 'git', 'ignore'),
      attributesFile: join(root, '.config', 'git', 'attributes'),
    });
    const kit = await open({ ...none, xdgConfigHome: join(root, 'xdg') });
    expect(await kit.words?.(asked)).toMatchObject({
      excludesFile: join(root, 'xdg', 'git', 'ignore'),
      attributesFile: join(root, 'xdg', 'git', 'attributes'),
    });
    const set = (...words: string[]) => git(root, 'config', '--file', join(root, '.gitconfig'), ...words);
    set('core.excludesFile', '~/ignored');
    set('core.attributesFile', '~/attributes');
    set('core.autocrlf', 'input');
    set('filter.lfs.clean', 'git-lfs clean');
    set('includeIf.gitdir:~/asked/.path', 'work');
    git(root, 'config', '--file', join(root, 'work'), 'core.eol', 'lf');
    expect(await kit.words?.(asked)).toEqual({
      settings: new Map([
        ['core.autocrlf', 'input'],
        ['filter.lfs.clean', 'true'],
        ['core.eol', 'lf'],
      ]),
      excludesFile: join(root, 'ignored'),
      attributesFile: join(root, 'attributes'),
    });
    git(root, 'config', '--file', join(root, 'system'), 'core.eol', 'crlf');
    const system = { all: { PATH: path, GIT_CONFIG_SYSTEM: join(root, 'system') }, homeDir: undefined };
    expect(await found(system)).toEqual({
      settings: new Map([['core.eol', 'crlf']]),
      systemAttributes: expect.stringMatching(/^\/.*\/gitattributes$/),
    });
    // Names that count from each working tree on, and that there is none, go on as they are.
    set('core.excludesFile', '.gitignore.local');
    set('core.attributesFile', '');
    expect(await kit.words?.(asked)).toMatchObject({ excludesFile: '.gitignore.local', attributesFile: '' });
    expect(await kit.words?.(asked)).not.toHaveProperty('unread');
    set('core.excludesFile', '~nobody-of-this-name/ignored');
    expect(await kit.words?.(asked)).toMatchObject({ unread: expect.stringContaining('failed to expand user dir') });
    writeFileSync(join(root, '.gitconfig'), '[core');
    expect(await kit.words?.(asked)).not.toHaveProperty('settings');
    expect(await kit.words?.(asked)).toMatchObject({ unread: expect.stringContaining('bad config line') });
    rmSync(join(root, '.gitconfig'));
    const nowhere = await found({ all: { PATH: '/nowhere' }, homeDir: undefined });
    expect(nowhere).not.toHaveProperty('excludesFile');
    expect(nowhere).toMatchObject({ unread: expect.stringContaining('git could not be started') });
  });
});

describeWith(['bwrap', 'git'], 'evidence of a real run', () => {
  const collect = async (run: Awaited<ReturnType<RealRunner['run']>>, kit: EvidenceKit, openRoom = kit.openRoom) => {
    const { dir, clone } = run.files;
    if (clone === undefined) throw new Error('the run had no workspace');
    return collectEvidence({
      ...{
        git: kit.git,
        openRoom,
        gitDirRoot: kit.gitDirRoot,
        platform: process.platform,
        path,
        clock: { ...clock, nowMs: () => 1_756_684_800_000 },
        random,
      },
      ...{ workspaceDir: dir, base: clone.base, baseRepository: clone.source, objectFormat: clone.objectFormat },
      ...{ nodeId: base.identity.public.id, task: 't1', store: kit.content, limits: kit.limits.collect },
    });
  };

  it('is the same whichever way git is run, and leaves no git directory', async () => {
    const kit = await open();
    const owner = repository('owner');
    const run = await real.run('echo two >> a.txt; mkdir d; echo x > d/new; git config core.fsmonitor "touch ran"', {
      ...{ name: 'app', path: owner },
    });
    const changes = await collect(run, kit);
    expect(changes).toMatchObject({ kind: 'changed', base: git(owner, 'rev-parse', 'HEAD'), insertions: 2 });
    expect(changes).toEqual(await collect(run, { ...kit, git: createGitProcess({ git: 'git', clock }) }));
    expect(changes).toEqual(await collect(run, kit, async () => undefined));
    expect(readdirSync(kit.gitDirRoot)).toEqual([]);
    run.release();
  });

  it('is collected in a sandbox: outside of one git reads nothing of the task’s', async () => {
    const kit = await open();
    const borrowed = repository('borrowed');
    const owner = join(root, 'borrower');
    git(root, 'clone', '-q', '--shared', borrowed, owner);
    const run = await real.run('echo two >> a.txt', { name: 'app', path: owner });
    const outside: string[] = [];
    const recorded: EvidenceKit['git'] = (call) => {
      outside.push(`${call.step} ${call.cwd}`);
      return kit.git(call);
    };
    const rooms: unknown[] = [];
    const changes = await collect(run, { ...kit, git: recorded }, async (shown) => {
      rooms.push(shown.read);
      return kit.openRoom?.(shown);
    });
    expect(changes).toMatchObject({ kind: 'changed', insertions: 1 });
    expect(outside).toEqual([]);
    // What the owner’s repository borrows itself is shown too.
    expect(rooms).toEqual([[run.files.dir, join(owner, '.git/objects'), join(borrowed, '.git/objects')]]);
    run.release();
  });

  it('fails where git may not open what the node may: nobody has seen what is in it', async () => {
    const kit = await open();
    const run = await real.run('mkdir -p d e; echo precious > d/f; chmod 000 d', {
      name: 'app',
      path: repository('shut'),
    });
    try {
      await expect(collect(run, kit)).rejects.toMatchObject({
        code: 'EVIDENCE_FAILED',
        message: expect.stringContaining('step `scan`: `d` cannot be read: '),
      });
    } finally {
      chmodSync(join(run.files.dir, 'd'), 0o700);
    }
    run.release();
  });

  it('builds on the working tree that was sent along', async () => {
    const kit = await open();
    const [sender, owner] = [repository('sender'), join(root, 'receiver')];
    // The receiver has this one: it is not sent, and what the task makes of it builds on what is borrowed.
    writeFileSync(join(sender, 'known.txt'), 'here already\n');
    git(sender, 'add', '.');
    git(sender, 'commit', '-q', '-m', 'second');
    git(root, 'clone', '-q', sender, owner);
    writeFileSync(join(sender, 'a.txt'), 'not committed\n');
    const { openRoom, gitDirRoot, guard } = kit;
    const work = { git: kit.git, openRoom, gitDirRoot, platform: process.platform, path, clock, random, guard };
    const shipment = await shipWorkingTree({
      ...{ ...work, repository: sender, peerHas: [git(owner, 'rev-parse', 'HEAD')], task: 't1', store: kit.content },
      ...{ nodeId: base.identity.public.id, limits: kit.limits.collect },
    });
    const bundleFile = await kit.content.pathOf(shipment.bundle?.sha256 ?? '');
    const received = await receiveShipped({
      ...{ ...work, bundleFile, repository: owner, commit: shipment.commit, limits: kit.limits.bundle },
    });
    const shipped = { repository: received.repository, commit: received.commit };
    const run = await real.run('test "$(cat a.txt)" = "not committed"; echo more >> a.txt; echo more >> known.txt', {
      ...{ name: 'app', path: owner, shipped },
    });
    const changes = await collect(run, kit);
    expect(changes).toMatchObject({ kind: 'changed', base: shipment.commit, insertions: 2, deletions: 0 });
    run.release();
    await received.remove();
    expect(readdirSync(kit.gitDirRoot)).toEqual([]);
    expect(git(owner, 'status', '--porcelain')).toBe('');
  });
});
