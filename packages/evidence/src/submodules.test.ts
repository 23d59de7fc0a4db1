import { mkdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isWritError, type WritError } from '@writ/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collectEvidence } from './collect.ts';
import { receiveShipped, shipWorkingTree } from './ship.ts';
import { BUNDLE_LIMITS, createFixture, type Fixture, LIMITS, NODE_ID, TASK } from './testing/fixture.ts';
import type { Changes, CollectRequest } from './types.ts';

const OLD = '1'.repeat(40);
const NEW = '2'.repeat(40);

describe('a submodule in a workspace', () => {
  let f: Fixture;
  let base: string;
  beforeEach(() => {
    f = createFixture();
    f.write(f.owner, { 'a.txt': 'one\n' });
    f.git(f.owner, 'add', '--all');
    f.git(f.owner, 'update-index', '--add', '--cacheinfo', `160000,${OLD},sub`);
    f.git(f.owner, 'commit', '--quiet', '-m', 'submodule');
    base = f.git(f.owner, 'rev-parse', 'HEAD');
    f.clone();
  });
  afterEach(() => f.remove());

  const collect = (more: Partial<CollectRequest> = {}): Promise<Changes> => collectEvidence(f.request(base, more));
  const told = async (more?: Partial<CollectRequest>): Promise<readonly string[]> => {
    const changes = await collect(more);
    return changes.kind === 'none' ? [] : changes.files.map(({ status, mode, path }) => `${status} ${mode} ${path}`);
  };
  const failure = async (): Promise<WritError> => {
    const error: unknown = await collect().then(
      (changes) => new Error(`it was ${changes.kind}`),
      (thrown) => thrown,
    );
    if (!isWritError(error)) throw error;
    return error;
  };
  const stage = (path: string, id = NEW): string =>
    f.git(f.work, 'update-index', '--add', '--cacheinfo', `160000,${id},${path}`);
  const commit = (): string => f.git(f.work, 'commit', '--quiet', '-m', 'submodules');

  it('has not changed where its folder is empty and its commit is that of the base', async () => {
    expect(await told()).toEqual([]);
    rmSync(join(f.work, '.git'), { recursive: true });
    expect(await told()).toEqual([]);
  });

  it.each<readonly [string, () => unknown, readonly string[]]>([
    ['whose commit another one is staged for', () => stage('sub'), ['M 160000 sub']],
    ['whose commit another one is committed for', () => [stage('sub'), commit()], ['M 160000 sub']],
    [
      'with another commit whose folder is gone as well',
      () => [stage('sub'), rmdirSync(join(f.work, 'sub'))],
      ['M 160000 sub'],
    ],
    ['that is taken out', () => [f.git(f.work, 'rm', '--quiet', '--cached', 'sub'), commit()], ['D 000000 sub']],
    ['whose folder is gone', () => rmdirSync(join(f.work, 'sub')), ['D 000000 sub']],
    [
      'that is added',
      () => [stage('in/new'), commit(), mkdirSync(join(f.work, 'in/new'), { recursive: true })],
      ['A 160000 in/new'],
    ],
    ['that is added without a folder', () => stage('new'), ['A 160000 new']],
    [
      'that is added with a git directory and no file',
      () => [stage('new'), f.git(f.work, 'init', '--quiet', 'new')],
      ['A 160000 new'],
    ],
    [
      'in the place of a file',
      () => [rmSync(join(f.work, 'a.txt')), stage('a.txt'), mkdirSync(join(f.work, 'a.txt'))],
      ['T 160000 a.txt'],
    ],
    [
      'that a file took the place of',
      () => [rmdirSync(join(f.work, 'sub')), f.write(f.work, { sub: 'x\n' }), stage('sub')],
      ['T 100644 sub'],
    ],
    [
      'below a file that took the place of its folder',
      () => [stage('in/new'), f.write(f.work, { in: 'x\n' })],
      ['A 100644 in'],
    ],
  ])('%s is told', async (_, change, files) => {
    change();
    expect(await told()).toEqual(files);
  });

  it('is in the commit and the bundle that the task comes to', async () => {
    stage('sub');
    stage('new');
    const changes = await collect();
    if (changes.kind !== 'changed') throw new Error('nothing has changed');
    const patch = Buffer.from(await f.store.load(changes.patch.sha256, changes.patch.bytes)).toString();
    expect(patch).toContain(`-Subproject commit ${OLD}\n+Subproject commit ${NEW}\n`);
    f.git(f.owner, 'fetch', '--quiet', await f.store.pathOf(changes.bundle.sha256), 'refs/writ/head:refs/heads/got');
    expect(f.git(f.owner, 'ls-tree', 'got', 'sub', 'new')).toBe(`160000 commit ${NEW}\tnew\n160000 commit ${NEW}\tsub`);
  });

  it('fails it where it holds files', async () => {
    f.write(f.work, { 'sub/x': 'x' });
    expect((await failure()).message).toContain('there are files in the submodule `sub`');
  });

  it('fails it where two sides of a merge want other commits', async () => {
    const lines = [1, 2, 3].map((side) => `160000 ${String(side).repeat(40)} ${side}\tsub\n`).join('');
    f.write(f.root, { lines });
    f.git(f.work, '-c', `alias.x=!git update-index --index-info < ${join(f.root, 'lines')}`, 'x');
    expect((await failure()).message).toContain('the submodule `sub` is in a conflict that nobody has resolved');
  });

  it('fails it where the index is gone: what was committed there would be seen by nobody', async () => {
    stage('sub');
    commit();
    rmSync(join(f.work, '.git/index'));
    const { message, details } = await failure();
    expect([message, details]).toEqual([
      expect.stringContaining('the index of the workspace is gone'),
      { step: 'index' },
    ]);
  });

  it('is never passed over where git answers with success and does nothing', async () => {
    stage('new');
    for (const at of [0, 1, 2, 3]) {
      let asked = 0;
      const outcome = await collect({
        git: (call) => {
          const isOfIndex = call.args.some((arg) => arg === '--stage' || arg === '--index-info');
          if (!isOfIndex || asked++ !== at) return f.gitWork.git(call);
          return Promise.resolve({ exitCode: 0, stdout: new Uint8Array(), reason: '' });
        },
      }).then(
        ({ kind }) => kind,
        (error) => error.code,
      );
      // The base's list is asked for first: without it, what is in the index is told.
      expect(outcome, `call ${at}`).toBe(at === 0 ? 'changed' : 'EVIDENCE_FAILED');
    }
  });

  it('is sent along with another commit, wherever that may be, where its folder is there', async () => {
    for (const path of ['sub', 'new']) {
      mkdirSync(join(f.owner, path));
      f.git(f.owner, 'update-index', '--add', '--cacheinfo', `160000,${NEW},${path}`);
    }
    const shipment = await shipWorkingTree({
      ...{
        ...f.gitWork,
        guard: f.guard,
        repository: f.owner,
        peerHas: [base],
        nodeId: NODE_ID,
        task: TASK,
        store: f.store,
      },
      limits: LIMITS,
    });
    const received = await receiveShipped({
      ...{ ...f.gitWork, repository: f.work, commit: shipment.commit, limits: BUNDLE_LIMITS },
      bundleFile: await f.store.pathOf(shipment.bundle?.sha256 ?? ''),
    });
    expect(f.git(received.repository, 'ls-tree', shipment.commit, 'sub')).toContain(NEW);
    await received.remove();
  });
});
