import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSystemRandom, sha256Hex, WritError } from '@writ/core';
import { createContentStore, shipWorkingTree } from '@writ/evidence';
import type { ShippedInput, TaskSpec } from '@writ/task-store';
import { gitIn, NODE_IDS } from '@writ/testkit/delegation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BUILD, createEvidenceBench, type EvidenceBench } from '../../testing/evidence-bench.ts';

const HOUR_MS = 3_600_000;
const { alpha, gamma } = NODE_IDS;

let bench: EvidenceBench;
beforeEach(async () => {
  bench = await createEvidenceBench();
});
afterEach(() => bench.close());

const quarantines = (): string[] =>
  readdirSync(bench.node.evidence.gitDirRoot).filter((name) => name.startsWith('git-'));

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

/** The working tree of a clone of the workspace, with one file more. */
async function ship(): Promise<{ readonly input: ShippedInput; readonly bundle: Uint8Array }> {
  const tree = join(bench.root, 'mine');
  gitIn(bench.root, 'clone', '--quiet', bench.repository, tree);
  writeFileSync(join(tree, 'mine.txt'), 'mine\n');
  const { git, openRoom, path, limits } = bench.node.evidence;
  const random = createSystemRandom();
  const store = createContentStore({ dir: join(bench.root, 'sent'), random });
  const { commit, bundle } = await shipWorkingTree({
    ...{ git, openRoom, platform: process.platform, path, random, store, clock: bench.clock },
    ...{ gitDirRoot: join(bench.root, 'git'), repository: tree, guard: bench.node.evidence.guard },
    ...{
      peerHas: await bench.node.executor.workspaceCommits('app'),
      nodeId: alpha,
      task: 't1',
      limits: limits.collect,
    },
  });
  if (!bundle) throw new Error('nothing to send');
  return { input: { commit, bundle }, bundle: await store.load(bundle.sha256, 1_000_000) };
}

const specOf = (shipped: ShippedInput): TaskSpec => ({ ...BUILD, shipped });
const take = (sender: string, { input, bundle }: Awaited<ReturnType<typeof ship>>): Promise<void> =>
  bench.node.executor.takeInput(
    sender,
    { workspace: 'app', sha256: input.bundle?.sha256 ?? '', bytes: input.bundle?.bytes ?? 0 },
    once(bundle),
  );
const submit = (task: string, spec: TaskSpec): Promise<unknown> =>
  bench.node.executor.submit(bench.foreign(task, spec));

describe('a workspace', () => {
  it('tells its commits, newest first', async () => {
    writeFileSync(join(bench.repository, 'a.txt'), 'two\n');
    gitIn(bench.repository, 'commit', '--quiet', '--all', '-m', 'Go on');
    const ids = gitIn(bench.repository, 'rev-parse', 'HEAD', 'HEAD^').split('\n');
    expect(await bench.node.executor.workspaceCommits('app')).toEqual(ids);
    await expect(bench.node.executor.workspaceCommits('none')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('work that was sent along', () => {
  it('is what the task begins with, in a repository that goes when the run is released', async () => {
    const work = await ship();
    await take(alpha, work);
    await submit('t1', specOf(work.input));
    const run = await bench.runner.runOf('t1');
    expect(run.spec.workspace?.shipped?.commit).toBe(work.input.commit);
    expect(readFileSync(join(run.files.dir, 'mine.txt'), 'utf8')).toBe('mine\n');
    expect(quarantines()).toHaveLength(1);
    writeFileSync(join(run.files.dir, 'more.txt'), 'more\n');
    run.exit(0);
    expect((await bench.ended('t1')).state).toBe('completed');
    expect(bench.verify('t1').result.changes).toMatchObject({
      kind: 'changed',
      base: work.input.commit,
      files: [{ path: 'more.txt', status: 'A' }],
    });
    await expect.poll(quarantines).toEqual([]);
  });

  it('is refused at once where it did not come, or came from another node', async () => {
    const work = await ship();
    const missing = { code: 'BAD_REQUEST', message: expect.stringContaining('is not here') };
    await expect(submit('t1', specOf(work.input))).rejects.toMatchObject(missing);
    await take(gamma, work);
    await expect(submit('t1', specOf(work.input))).rejects.toMatchObject(missing);
    expect(bench.node.executor.get('t1')).toBeUndefined();
    await take(alpha, work);
    expect(await submit('t1', specOf(work.input))).toMatchObject({ accepted: true });
    (await bench.runner.runOf('t1')).exit(0);
    await bench.ended('t1');
  });

  it('is refused where the request contradicts itself', async () => {
    const { input } = await ship();
    const { workspace: _, ...without } = specOf(input);
    const bad = [without, specOf({ commit: 'HEAD' }), { ...BUILD, artifacts: ['../x'] }];
    for (const spec of bad) await expect(submit('t1', spec)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });

  it('may be nothing but a commit that the workspace has', async () => {
    const commit = gitIn(bench.repository, 'rev-parse', 'HEAD');
    await submit('t1', specOf({ commit }));
    const run = await bench.runner.runOf('t1');
    expect(run.spec.workspace?.shipped).toEqual({ repository: bench.repository, commit });
    run.exit(0);
    expect((await bench.ended('t1')).state).toBe('completed');
  });

  it('leaves no repository behind where the task does not start', async () => {
    const work = await ship();
    await take(alpha, work);
    bench.runner.failPreparations(new WritError('GIT_FAILED', 'no'));
    await submit('t1', specOf(work.input));
    expect((await bench.ended('t1')).outcome?.code).toBe('GIT_FAILED');
    bench.runner.failPreparations(undefined);
    bench.runner.failStarts(new WritError('RUNNER_UNAVAILABLE', 'no'));
    await submit('t2', specOf(work.input));
    expect((await bench.ended('t2')).outcome?.code).toBe('RUNNER_UNAVAILABLE');
    await expect.poll(quarantines).toEqual([]);
  });

  it('that builds on what the workspace lacks is told without a path', async () => {
    const work = await ship();
    await take(alpha, work);
    gitIn(bench.repository, 'commit', '--quiet', '--amend', '-m', 'Begin again');
    gitIn(bench.repository, 'reflog', 'expire', '--expire=now', '--all');
    gitIn(bench.repository, 'gc', '--quiet', '--prune=now');
    await submit('t1', specOf(work.input));
    const { outcome } = await bench.ended('t1');
    expect(outcome).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('workspace `app` lacks') });
    expect(outcome?.message).not.toContain(bench.repository);
  });
});

describe('what a workspace cannot take', () => {
  it('is told as what it is where it names its objects in another way', async () => {
    const work = await ship();
    await take(alpha, work);
    gitIn(bench.repository, 'config', 'core.repositoryFormatVersion', '1');
    gitIn(bench.repository, 'config', 'extensions.objectFormat', 'sha256');
    await submit('t1', specOf(work.input));
    const { outcome } = await bench.ended('t1');
    expect(outcome).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('workspace `app` names its objects by sha256, and what was sent along by sha1'),
    });
  });
});

describe('a bundle on its way', () => {
  const announce = (bytes: Uint8Array, more: { sha256?: string; bytes?: number } = {}): Promise<void> =>
    bench.node.executor.takeInput(
      alpha,
      { workspace: 'app', sha256: sha256Hex(bytes), bytes: bytes.length, ...more },
      once(bytes),
    );
  const files = (): string[] => {
    const root = join(bench.node.evidence.gitDirRoot, 'inputs', alpha);
    return existsSync(root)
      ? readdirSync(root, { recursive: true })
          .map(String)
          .filter((name) => name.length > 60)
      : [];
  };

  it('has to be what was announced', async () => {
    const bytes = Buffer.from('a bundle');
    const invalid = { code: 'EVIDENCE_INVALID' };
    await expect(announce(bytes, { bytes: 3 })).rejects.toMatchObject(invalid);
    await expect(announce(bytes, { bytes: 30 })).rejects.toMatchObject(invalid);
    await expect(announce(bytes, { sha256: '0'.repeat(64) })).rejects.toMatchObject(invalid);
    expect(files()).toEqual([]);
  });

  it('may not be larger than one may be, nor all of one sender together', async () => {
    const tooLarge = { code: 'LIMIT_EXCEEDED' };
    const { maxBundleBytes } = bench.node.evidence.limits.bundle;
    await expect(announce(Buffer.from('x'), { bytes: maxBundleBytes + 1 })).rejects.toMatchObject(tooLarge);
    let open: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    async function* slow(): AsyncIterable<Uint8Array> {
      await gate;
      yield new Uint8Array();
    }
    const most = Math.ceil((1024 * 1024 * 1024) / maxBundleBytes);
    const all = Array.from({ length: most }, (_, i) =>
      bench.node.executor
        .takeInput(alpha, { workspace: 'app', sha256: sha256Hex(String(i)), bytes: maxBundleBytes }, slow())
        .catch((error: WritError) => error.code),
    );
    expect(await Promise.race(all)).toBe('LIMIT_EXCEEDED');
    open();
    expect((await Promise.all(all)).filter((code) => code === 'LIMIT_EXCEEDED')).toHaveLength(1);
    await announce(Buffer.from('again'));
  });

  it('is kept for an hour, and as long as a live task names it', async () => {
    const work = await ship();
    await announce(Buffer.from('of no use'));
    await take(alpha, work);
    await submit('t1', specOf(work.input));
    const run = await bench.runner.runOf('t1');
    expect(files()).toHaveLength(2);
    bench.clock.advance(HOUR_MS);
    await expect.poll(files).toEqual([expect.stringContaining(work.input.bundle?.sha256 ?? '')]);
    if (!run.ended) run.exit(0);
    await bench.ended('t1');
    bench.clock.advance(HOUR_MS);
    await expect.poll(files).toEqual([]);
  });

  it('that an earlier boot left goes when the node begins, with its git directories', async () => {
    await announce(Buffer.from('old'));
    mkdirSync(join(bench.node.evidence.gitDirRoot, 'git-left', 'repository'), { recursive: true });
    bench.clock.advance(HOUR_MS / 2);
    await announce(Buffer.from('young'));
    bench.clock.jump(HOUR_MS / 2);
    await bench.restart();
    await bench.node.executor.recover();
    expect(quarantines()).toEqual([]);
    expect(files()).toEqual([expect.stringContaining(sha256Hex('young'))]);
  });
});
