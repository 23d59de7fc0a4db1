import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WritError } from '@writ/core';
import type { GitPort, GitStep } from '@writ/evidence';
import type { TaskSpec } from '@writ/task-store';
import { NODE_IDS } from '@writ/testkit/delegation';
import { afterEach, describe, expect, it } from 'vitest';
import type { EvidenceKit } from '../../evidence-kit.ts';
import { BUILD, createEvidenceBench, type EvidenceBench } from '../../testing/evidence-bench.ts';
import type { WatchedEvent } from '../../types.ts';

let bench: EvidenceBench;
afterEach(() => bench.close());

/** Runs one task of alpha's in the workspace, which leaves what `work` writes. */
async function run(task: string, options: { work?: (dir: string) => void; exit?: number; untold?: boolean } = {}) {
  const { work = (dir) => writeFileSync(join(dir, 'b.txt'), 'two\n'), exit = 0, untold = false } = options;
  const answer = await bench.node.executor.submit(bench.foreign(task, { ...BUILD, artifacts: ['out/*'] }));
  expect(answer).toMatchObject({ accepted: true });
  const started = await bench.runner.runOf(task);
  work(started.files.dir);
  started.exit(exit, { untold });
  return { ended: await bench.ended(task), started };
}

const gitFolders = (): string[] =>
  existsSync(bench.node.evidence.gitDirRoot)
    ? readdirSync(bench.node.evidence.gitDirRoot).filter((name) => name.startsWith('git-'))
    : [];

async function outcomeEvent(task: string): Promise<WatchedEvent | undefined> {
  for await (const watched of bench.node.executor.watch(task, 0, new AbortController().signal)) {
    if (watched.event.kind === 'outcome') return watched;
  }
  return undefined;
}

describe('a task in a workspace', () => {
  it('ends with a result that its sender can verify, and everything that it names', async () => {
    bench = await createEvidenceBench();
    const { ended, started } = await run('t1', {
      work: (dir) => writeFileSync(join(dir, 'a.txt'), 'two\n'),
    });
    expect(ended).toMatchObject({ state: 'completed', outcome: { message: 'exited with status 0' } });
    const { result, sha256, standing } = bench.verify('t1');
    expect([sha256, standing]).toEqual([ended.outcome?.result, 'pinned']);
    expect(result).toMatchObject({
      ...{ task: 't1', origin: NODE_IDS.alpha, node: NODE_IDS.beta, chain: [NODE_IDS.alpha], workspace: 'app' },
      outcome: { state: 'completed', code: null },
      changes: { kind: 'changed', files: [{ path: 'a.txt', status: 'M' }] },
    });
    if (result.changes.kind !== 'changed') throw new Error('nothing has changed');
    const { bundle, patch } = result.changes;
    const patchText = await bench.node.executor.readContent('t1', patch.sha256, 0, 10_000);
    expect(Buffer.from(patchText).toString()).toContain('-one\n+two\n');
    const half = await bench.node.executor.readContent('t1', bundle.sha256, bundle.bytes - 5, 100);
    expect(half).toHaveLength(5);
    expect(started.releases).toBe(1);
    expect(gitFolders()).toEqual([]);
  });

  it('hands its result to who watches, and names what was kept as artifacts', async () => {
    bench = await createEvidenceBench();
    await run('t1', {
      work: (dir) => makeOut(dir, { 'x.log': 'x', 'y.log': 'y' }),
    });
    expect(bench.resultOf('t1').artifacts.map(({ name }) => name)).toEqual(['out/x.log', 'out/y.log']);
    expect((await outcomeEvent('t1'))?.result).toEqual(bench.node.executor.result('t1')?.envelope);
  });

  it('names no file to keep that its grant may not read', async () => {
    bench = await createEvidenceBench();
    const asked: TaskSpec = { ...BUILD, profile: 'query', artifacts: ['a.txt'] };
    const answer = await bench.node.executor.submit(bench.foreign('t1', asked));
    expect(answer).toMatchObject({
      accepted: false,
      decision: { effect: 'deny', code: 'GRANT_EXCEEDED', message: expect.stringContaining('`read_repo`') },
    });
    expect(bench.node.executor.get('t1')).toBeUndefined();
    const { workspace: _, ...nowhere } = asked;
    for (const spec of [nowhere, { ...asked, artifacts: [] }]) {
      const task = `t-${spec.artifacts?.length}`;
      expect(await bench.node.executor.submit(bench.foreign(task, spec))).toMatchObject({ accepted: true });
      (await bench.runner.runOf(task)).exit(0);
      await bench.ended(task);
    }
  });

  it('is not started where its grant may no longer read what it is to keep', async () => {
    bench = await createEvidenceBench({ slots: 1 });
    const { executor, engine } = bench.node;
    await executor.submit(bench.foreign('t1'));
    await executor.submit(bench.foreign('t2', { ...BUILD, artifacts: ['a.txt'] }));
    const policy = bench.policy.replace('capabilities = ["read_repo"]', 'capabilities = ["inspect_status"]');
    expect(await engine.reload(policy, { acceptWidening: true })).toMatchObject({ reloaded: true });
    (await bench.runner.runOf('t1')).exit(0);
    expect(await bench.ended('t2')).toMatchObject({ state: 'failed', outcome: { code: 'GRANT_EXCEEDED' } });
  });

  it('works in a repository without commits', async () => {
    bench = await createEvidenceBench({ files: {} });
    const { ended } = await run('t1');
    expect(ended.state).toBe('completed');
    expect(bench.verify('t1').result.changes).toMatchObject({ kind: 'changed', base: null });
  });

  it('says that nothing has changed where that was established', async () => {
    bench = await createEvidenceBench();
    await run('t1', { work() {} });
    expect(bench.resultOf('t1').changes.kind).toBe('none');
  });
});

function makeOut(dir: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(join(dir, 'out'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, 'out', name), text);
}

/** What goes wrong now. */
interface Faults {
  git?: GitStep;
  full?: boolean;
  /** How many results more cannot be signed. */
  unsigned: number;
  gate?: Promise<void>;
  /** Every step of git that was taken. */
  readonly steps: Set<GitStep>;
}

/** A bench whose evidence is made by parts that fail as the test says. */
async function createFlaky(): Promise<Faults> {
  const faults: Faults = { unsigned: 0, steps: new Set() };
  const wrapGit =
    (git: GitPort): GitPort =>
    async (call) => {
      faults.steps.add(call.step);
      await faults.gate;
      if (call.step === faults.git) return { exitCode: 1, stdout: new Uint8Array(), reason: 'it was made to fail' };
      return git(call);
    };
  const wrap = (kit: EvidenceKit): EvidenceKit => ({
    ...kit,
    git: wrapGit(kit.git),
    content: {
      ...kit.content,
      put: (content, most) =>
        faults.full ? Promise.reject(new Error('ENOSPC: disk full')) : kit.content.put(content, most),
    },
    signer: {
      sign(result) {
        faults.unsigned -= 1;
        if (faults.unsigned >= 0) throw new WritError('EVIDENCE_FAILED', 'the key is gone');
        return kit.signer.sign(result);
      },
    },
  });
  bench = await createEvidenceBench({ wrapEvidence: wrap });
  return faults;
}

describe('a success whose evidence cannot be collected', () => {
  const failed = (step: string) => ({
    state: 'failed',
    outcome: { code: 'EVIDENCE_FAILED', ending: { kind: 'exit', exitCode: 0 }, message: expect.stringContaining(step) },
  });

  it('is a failure that names the step, for every step of git', async () => {
    const flaky = await createFlaky();
    expect((await run('all')).ended.state).toBe('completed');
    expect(flaky.steps.size).toBeGreaterThan(5);
    for (const step of flaky.steps) {
      flaky.git = step;
      const { ended, started } = await run(`without-${step}`);
      expect(ended, step).toMatchObject(failed(`\`${step}\``));
      expect(bench.verify(ended.id).result).toMatchObject({
        outcome: { state: 'failed', code: 'EVIDENCE_FAILED' },
        changes: { kind: 'uncollected', step },
      });
      expect([started.releases, gitFolders()]).toEqual([1, []]);
    }
  }, 60_000);

  it('is a failure where the store of contents is full', async () => {
    const flaky = await createFlaky();
    flaky.full = true;
    expect((await run('t1')).ended).toMatchObject(failed('ENOSPC'));
  });

  it('is a failure where an artifact is no file', async () => {
    bench = await createEvidenceBench();
    const work = (dir: string): void => {
      makeOut(dir, {});
      symlinkSync('/etc/passwd', join(dir, 'out', 'link'));
    };
    const { ended } = await run('t1', { work });
    expect(ended).toMatchObject(failed('artifacts'));
    // What was worked on is not thrown away for it, and the sender is told what is wrong with which file.
    expect(bench.resultOf('t1')).toMatchObject({ artifacts: [], changes: { kind: 'changed' } });
    expect(bench.verify('t1').result.outcome.message).toMatch(
      /^exited with status 0, but artifacts cannot be collected: /,
    );
  });

  it('that ended otherwise keeps its ending where an artifact is missing, and both are told', async () => {
    bench = await createEvidenceBench();
    const work = (dir: string): void => {
      makeOut(dir, {});
      symlinkSync('/etc/passwd', join(dir, 'out', 'link'));
    };
    const { ended } = await run('t1', { work, exit: 3 });
    expect(ended.outcome).toMatchObject({
      code: 'WORKER_FAILED',
      message: expect.stringMatching(/^exited with status 3; artifacts/),
    });
    expect(bench.verify('t1').result.changes).toMatchObject({ kind: 'changed' });
  });

  it('tells its sender which step failed, and not what it says of this machine', async () => {
    const flaky = await createFlaky();
    flaky.full = true;
    await run('t1');
    const { message } = bench.verify('t1').result.outcome;
    expect(message).toMatch(/^exited with status 0, but evidence cannot be collected: step `[a-z]+`$/);
  });

  it('is a failure where the transcript could not be written', async () => {
    bench = await createEvidenceBench();
    const { ended } = await run('t1', { untold: true });
    expect(ended).toMatchObject(failed('`transcript`'));
    expect(bench.resultOf('t1').transcript).toBeNull();
  });

  it('is a failure where the runner does not say what the run began with', async () => {
    bench = await createEvidenceBench();
    await bench.node.executor.submit(bench.own('t1'));
    const started = await bench.runner.runOf('t1');
    Object.assign(started.files, { clone: undefined });
    started.exit(0);
    expect(await bench.ended('t1')).toMatchObject(failed('`changes`'));
  });

  it('is a failure where the result cannot be signed, with a result that says so where that can be', async () => {
    const flaky = await createFlaky();
    flaky.unsigned = 1;
    expect((await run('t1')).ended).toMatchObject(failed('`sign`'));
    expect(bench.verify('t1').result.changes).toEqual({ kind: 'uncollected', step: 'sign' });
    flaky.unsigned = 2;
    const { ended } = await run('t2');
    expect(ended).toMatchObject(failed('`sign`'));
    expect(ended.outcome?.result).toBeUndefined();
    expect(bench.node.executor.result('t2')).toBeUndefined();
  });
});

describe('a task that ends otherwise', () => {
  it('keeps its ending, with what it did', async () => {
    bench = await createEvidenceBench();
    expect((await run('t1', { exit: 3 })).ended.outcome).toMatchObject({ code: 'WORKER_FAILED' });
    expect(bench.verify('t1').result).toMatchObject({
      outcome: { state: 'failed', code: 'WORKER_FAILED', message: 'exited with status 3' },
      exit: { kind: 'exit', exitCode: 3 },
      changes: { kind: 'changed' },
    });
  });

  it('keeps its ending where evidence cannot be collected, and the result says that', async () => {
    const flaky = await createFlaky();
    flaky.git = 'tree';
    expect((await run('t1', { exit: 3 })).ended.outcome).toMatchObject({ code: 'WORKER_FAILED' });
    expect(bench.verify('t1').result.changes).toEqual({ kind: 'uncollected', step: 'tree' });
  });

  it('is ended by a cancel that comes while its evidence is collected', async () => {
    const flaky = await createFlaky();
    let open: () => void = () => {};
    flaky.gate = new Promise((resolve) => {
      open = resolve;
    });
    await bench.node.executor.submit(bench.foreign('t1'));
    const started = await bench.runner.runOf('t1');
    started.exit(0);
    while (flaky.steps.size === 0) await new Promise((resolve) => setImmediate(resolve));
    const cancelled = bench.node.executor.cancel('t1', 'person');
    expect(bench.node.executor.get('t1')?.state).toBe('running');
    open();
    expect(await cancelled).toMatchObject({ state: 'cancelled', outcome: { code: 'CANCELLED' } });
    expect(bench.verify('t1').result).toMatchObject({ outcome: { state: 'cancelled' }, changes: { kind: 'none' } });
  });

  it('is cancelled within seconds where its evidence takes for ever, and the result says that it was not collected', async () => {
    let begun = false;
    bench = await createEvidenceBench({
      // Ended by nothing but the signal that a call comes with.
      wrapEvidence: (kit) => ({
        ...kit,
        git: (call) =>
          new Promise((resolve) => {
            begun = true;
            const ended = { exitCode: null, stdout: new Uint8Array(), reason: 'ended' };
            if (call.signal?.aborted) resolve(ended);
            call.signal?.addEventListener('abort', () => resolve(ended));
          }),
      }),
    });
    await bench.node.executor.submit(bench.foreign('t1'));
    (await bench.runner.runOf('t1')).exit(0);
    while (!begun) await new Promise((resolve) => setImmediate(resolve));
    const cancelled = bench.node.executor.cancel('t1', 'person');
    bench.clock.advance(5_000);
    expect(await cancelled).toMatchObject({ state: 'cancelled' });
    expect(bench.verify('t1').result.changes).toMatchObject({ kind: 'uncollected' });
  });
});
