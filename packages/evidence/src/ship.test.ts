import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { receiveShipped, type ShipRequest, shipWorkingTree } from './ship.ts';
import { BUNDLE_LIMITS, createFixture, type Fixture, LIMITS, NODE_ID, TASK } from './testing/fixture.ts';
import type { BundleLimits } from './types.ts';

describe('shipping a working tree', () => {
  let f: Fixture;
  let base: string;
  /** The peer's own copy. */
  let peer: string;
  beforeEach(() => {
    f = createFixture();
    f.write(f.owner, { 'a.txt': 'one\n', '.gitignore': '*.log\n' });
    base = f.commit(f.owner);
    f.clone();
    peer = f.work;
  });
  afterEach(() => f.remove());

  const ship = (more: Partial<ShipRequest> = {}) =>
    shipWorkingTree({
      ...f.gitWork,
      guard: f.guard,
      repository: f.owner,
      peerHas: [base],
      nodeId: NODE_ID,
      task: TASK,
      store: f.store,
      limits: LIMITS,
      ...more,
    });
  const receive = async (
    shipment: Awaited<ReturnType<typeof ship>>,
    more: { commit?: string; repository?: string; limits?: Partial<BundleLimits> } = {},
  ) =>
    receiveShipped({
      ...f.gitWork,
      bundleFile: await f.store.pathOf(shipment.bundle?.sha256 ?? ''),
      repository: more.repository ?? peer,
      commit: more.commit ?? shipment.commit,
      limits: { ...BUNDLE_LIMITS, ...more.limits },
    });

  it('takes commits, uncommitted and untracked files along, ignored ones not, and changes nothing', async () => {
    f.write(f.owner, { 'b.txt': 'committed\n' });
    const head = f.commit(f.owner);
    f.write(f.owner, {
      'a.txt': 'two\n',
      'c.txt': 'new\n',
      'x.log': 'no',
      'secret.env': 'no',
      'own.tmp': 'no',
      loc: 'no',
    });
    f.write(f.root, { excludes: '*.env\n', 'local-excludes': 'loc\n*.env\n' });
    f.write(f.owner, { '.git/info/exclude': '*.tmp\n' });
    f.git(f.owner, 'config', 'core.excludesFile', join(f.root, 'local-excludes'));
    const before = [readFileSync(join(f.owner, '.git/index')).toString('hex'), f.git(f.owner, 'count-objects', '-v')];
    f.git(f.root, 'config', '--global', 'core.excludesFile', '~/excludes');
    const shipment = await ship({ words: f.words });
    expect(shipment.head).toBe(head);
    expect([readFileSync(join(f.owner, '.git/index')).toString('hex'), f.git(f.owner, 'count-objects', '-v')]).toEqual(
      before,
    );

    const received = await receive(shipment);
    const clone = join(f.root, 'task');
    f.git(f.root, 'clone', '--quiet', '--no-local', '--no-checkout', received.repository, clone);
    f.git(clone, 'fetch', '--quiet', 'origin', received.ref);
    f.git(clone, 'checkout', '--quiet', '--detach', received.commit);
    expect(readdirSync(clone).sort()).toEqual(['.git', '.gitignore', 'a.txt', 'b.txt', 'c.txt']);
    expect(readFileSync(join(clone, 'a.txt'), 'utf8')).toBe('two\n');
    expect(f.git(clone, 'rev-parse', 'HEAD~1', 'HEAD~2')).toBe(`${head}\n${base}`);
    expect(() => f.git(peer, 'cat-file', '-e', shipment.commit)).toThrow();
    await received.remove();
    expect(readdirSync(f.gitWork.gitDirRoot)).toEqual([]);
  });

  it('sends nothing where the peer has it all, and what is committed alone where nothing else is there', async () => {
    expect(await ship()).toEqual({ commit: base, head: base });
    f.write(f.owner, { 'b.txt': 'b\n' });
    const head = f.commit(f.owner);
    const shipment = await ship();
    expect(shipment).toMatchObject({ commit: head, head });
    await (await receive(shipment)).remove();
  });

  it('sends everything where the peer has nothing that is known here', async () => {
    const shipment = await ship({ peerHas: ['0'.repeat(40), '--all', 'HEAD'] });
    expect(shipment.commit).toBe(base);
    const empty = join(f.root, 'empty');
    f.git(f.root, 'init', '--quiet', empty);
    await (await receive(shipment, { repository: empty })).remove();
  });

  it('works in a repository without commits and in a worktree', async () => {
    const fresh = join(f.root, 'fresh');
    f.git(f.root, 'init', '--quiet', fresh);
    f.write(fresh, { 'first.txt': '1\n' });
    const shipment = await ship({ repository: fresh });
    expect(shipment).toMatchObject({ head: null, bundle: { bytes: expect.any(Number) } });
    await (await receive(shipment)).remove();
    const tree = join(f.root, 'tree');
    f.git(f.owner, 'worktree', 'add', '--quiet', '--detach', tree);
    f.write(tree, { 'y.log': 'forced\n' });
    f.git(tree, 'add', '--force', 'y.log');
    const fromTree = await ship({ repository: tree });
    const received = await receive(fromTree);
    expect(f.git(received.repository, 'ls-tree', '--name-only', fromTree.commit)).toBe('.gitignore\na.txt\ny.log');
    await received.remove();
  });

  it('fails with the step where git fails', async () => {
    for (const step of ['add', 'tree', 'bundle', 'inspect']) {
      const git: ShipRequest['git'] = (call) =>
        call.step === step
          ? Promise.resolve({ exitCode: 1, stdout: new Uint8Array(), reason: 'broken on purpose' })
          : f.gitWork.git(call);
      f.write(f.owner, { 'b.txt': step });
      await expect(ship({ git })).rejects.toMatchObject({ code: 'GIT_FAILED', details: { step } });
    }
  });

  it('says what to do where a submodule has files', async () => {
    const head = f.git(f.owner, 'rev-parse', 'HEAD');
    f.git(f.owner, 'update-index', '--add', '--cacheinfo', `160000,${head},my sub`);
    f.git(f.owner, 'commit', '--quiet', '-m', 'submodule');
    f.write(f.owner, { 'my sub/x': 'x' });
    await expect(ship()).rejects.toMatchObject({
      code: 'GIT_FAILED',
      nextSteps: [
        expect.stringContaining("git submodule deinit -- 'my sub'"),
        expect.stringContaining('git worktree add'),
      ],
    });
  });

  it('says what to do where there is no repository, or no working tree', async () => {
    const bare = join(f.root, 'bare.git');
    f.git(f.root, 'init', '--quiet', '--bare', bare);
    for (const [repository, why] of [
      [f.root, 'is in no repository'],
      [bare, 'has no working tree'],
    ] as const) {
      const refused = {
        code: 'BAD_REQUEST',
        message: expect.stringContaining(why),
        nextSteps: [expect.anything(), expect.anything()],
      };
      await expect(ship({ repository })).rejects.toMatchObject(refused);
    }
  });

  it('is refused by a receiver that lacks what it builds on, wants another commit, or has less room', async () => {
    f.write(f.owner, { 'big.txt': 'x'.repeat(100_000), 'b.txt': 'b\n' });
    const shipment = await ship();
    const empty = join(f.root, 'empty');
    f.git(f.root, 'init', '--quiet', empty);
    await expect(receive(shipment, { repository: empty })).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(receive(shipment, { commit: base })).rejects.toMatchObject({ code: 'EVIDENCE_INVALID' });
    const limits: [string, Partial<BundleLimits>][] = [
      ['larger than 100 bytes', { maxBundleBytes: 100 }],
      ['more than 3 objects', { maxObjects: 3 }],
      ['an object of more than 1000 bytes', { maxObjectBytes: 1000 }],
      ['unpacks to more than 100000 bytes', { maxUnpackedBytes: 100_000 }],
      ['too long', { timeoutMs: -1 }],
    ];
    for (const [message, limit] of limits) {
      await expect(receive(shipment, { limits: limit }), message).rejects.toThrow(message);
    }
    expect(readdirSync(f.gitWork.gitDirRoot)).toEqual([]);
    rmSync(empty, { recursive: true });
  });
});
