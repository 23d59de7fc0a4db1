import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { WritError } from '@writ/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeNode, startFakeNode } from '../testing/fake-node.ts';
import { digestOf } from '../testing/signed-results.ts';

let node: FakeNode;

beforeEach(async () => {
  node = await startFakeNode();
});
afterEach(() => node.stop());

const patch = digestOf('\u0000the patch');
const artifacts = [
  { name: 'dist/app.js', ...digestOf('the app') },
  { name: patch.sha256, ...digestOf('named like a digest') },
];

const shown = {
  task: 't-1',
  side: 'asked',
  sha256: 'e'.repeat(64),
  node: 'gamma',
  standing: 'vouched by beta',
  late: false,
  received_at_ms: 5,
  chain: ['alpha', 'beta'],
  state: 'completed',
  message: 'exit 0',
  ending: 'exit 0',
  truncated: false,
  changes: {
    kind: 'changed',
    base: '1'.repeat(40),
    head: '2'.repeat(40),
    file_count: 3,
    insertions: 10,
    deletions: 2,
    files: [
      { status: 'M', path: 'a\u001b[31m.ts', insertions: 10, deletions: 2 },
      { status: 'A', path: 'b.png' },
    ],
    patch_sha256: patch.sha256,
    bundle_sha256: 'b'.repeat(64),
  },
  artifact_count: 2,
  artifacts,
  nested: [{ depth: 1, task: 't-2', node: 'delta', sha256: 'd'.repeat(64), state: 'failed', code: 'WORKER_FAILED' }],
  requested_profile: 'repo-dev',
  profile: 'repo-dev',
  runner: 'shell',
  isolation: 'none',
  ...{ approvals: ['a-1'], unseparated: true },
  generation: 3,
  lease: 'l-1',
  accepted_at_ms: 1,
  started_at_ms: 2,
  ended_at_ms: 3,
  signed_at_ms: 4,
};

/** The node has this text under every digest that is asked for. */
const serve = (text: string): void => {
  node.answers.task_content = () => [{ offset: 0, data: Buffer.from(text).toString('base64') }];
};

describe('writ task result', () => {
  beforeEach(() => {
    node.answers.result = () => shown;
  });

  it('shows what came of it, who vouches, and what is nested, with nothing that could play tricks', async () => {
    const { out, code } = await node.writ('task', 'result', 't-1');
    expect(code).toBe(0);
    for (const part of [
      'task t-1 at gamma: completed: exit 0',
      'decided   approvals a-1; unseparated: without a key of an approver',
      'standing  vouched by beta',
      'receipt   not stored there yet',
      'isolation none, policy generation 3, lease l-1',
      '3 files changed, +10 -2, 111111111111 → 222222222222',
      '  M a\\u{1b}[31m.ts  +10 -2',
      '  A b.png  binary',
      '  and 1 more file',
      'dist/app.js',
      '  t-2 at delta: failed WORKER_FAILED',
    ]) {
      expect(out).toContain(part);
    }
    expect(out).not.toContain('\u001b[31m');
  });

  it('prints the patch as it is, and nothing beside it', async () => {
    serve('\u0000the patch');
    expect(await node.writ('task', 'result', 't-1', '--patch')).toEqual({ code: 0, out: '\u0000the patch', err: '' });
    const { out } = await node.writ('task', 'result', 't-1', '--patch', '--json');
    expect(Buffer.from(JSON.parse(out).data, 'base64').toString()).toBe('\u0000the patch');
  });

  it('ends with 7 where the patch is another one, and says so where there is none', async () => {
    serve('another');
    expect(await node.writ('task', 'result', 't-1', '--patch')).toMatchObject({
      code: 7,
      err: expect.stringContaining('EVIDENCE_INVALID'),
    });
    node.answers.result = () => ({ ...shown, changes: { ...shown.changes, patch_sha256: undefined } });
    expect(await node.writ('task', 'result', 't-1', '--patch')).toMatchObject({
      code: 2,
      err: expect.stringContaining('it changed no file'),
    });
    const uncollected = { kind: 'uncollected', step: 'scan', patch_sha256: undefined } as const;
    node.answers.result = () => ({ ...shown, changes: { ...shown.changes, ...uncollected } });
    expect(await node.writ('task', 'result', 't-1', '--patch')).toMatchObject({
      code: 7,
      err: expect.stringContaining('was not collected: scan'),
    });
  });

  it('ends with 7 where the evidence was refused', async () => {
    node.answers.result = () => {
      throw new WritError('EVIDENCE_INVALID', 'result is not verified: signature: it does not fit');
    };
    expect((await node.writ('task', 'result', 't-1')).code).toBe(7);
  });
});

describe('writ task artifact', () => {
  beforeEach(() => {
    node.answers.list_artifacts = ({ offset }) =>
      offset === 0
        ? { artifacts: artifacts.slice(0, 1), total: 2, next_offset: 1 }
        : { artifacts: artifacts.slice(1), total: 2 };
  });

  it('lists all pages', async () => {
    const { out } = await node.writ('task', 'artifact', 't-1', '--json');
    expect(JSON.parse(out).artifacts).toHaveLength(2);
  });

  it('prints one by its name or its digest, and writes it into a new file only', async () => {
    serve('the app');
    for (const name of ['dist/app.js', digestOf('the app').sha256]) {
      expect(await node.writ('task', 'artifact', 't-1', name)).toMatchObject({ code: 0, out: 'the app' });
    }
    const file = join(node.home.root, 'app.js');
    expect((await node.writ('task', 'artifact', 't-1', 'dist/app.js', '--out', file)).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe('the app');
    writeFileSync(file, 'mine');
    expect((await node.writ('task', 'artifact', 't-1', 'dist/app.js', '--out', file)).code).toBe(2);
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });

  it('leaves no file of what is not what it is called', async () => {
    serve('the bad app');
    const file = join(node.home.root, 'app.js');
    expect((await node.writ('task', 'artifact', 't-1', 'dist/app.js', '--out', file)).code).toBe(7);
    expect(existsSync(file)).toBe(false);
  });

  it('takes a name before a digest, and says what is not there', async () => {
    serve('named like a digest');
    expect((await node.writ('task', 'artifact', 't-1', patch.sha256)).out).toBe('named like a digest');
    expect((await node.writ('task', 'artifact', 't-1', 'x')).code).toBe(2);
  });
});

describe('writ apply', () => {
  const applied = { kind: 'applied', message: 'branch writ/t-1 is made', conflicts: [], checked_out: false };

  it('names the repository that it was typed in, or the one that it is told, absolutely', async () => {
    node.answers.apply_result = () => ({ ...applied, fit: 'ahead', next_steps: ['git merge'] });
    const done = await node.writ('apply', 't-1');
    expect(done).toMatchObject({
      code: 0,
      out: 'branch writ/t-1 is made\n',
      err: expect.stringContaining('git merge'),
    });
    await node.writ('apply', 't-1', '--repo', 'some/where', '--checkout');
    expect(node.calls.map(({ input }) => input)).toEqual([
      { task: 't-1', repository: resolve('.'), check: false, checkout: false, shell: { umask: process.umask() } },
      {
        ...{ task: 't-1', repository: resolve('some/where'), check: false, checkout: true },
        shell: { umask: process.umask(), git: expect.arrayContaining([`HOME=${process.env.HOME}`]) },
      },
    ]);
  });

  it('names each conflict; a check that finds some ends with 1, a branch that was made with 0', async () => {
    const conflicts = { ...applied, fit: 'conflicts', conflicts: ['a\u202e.ts'], next_steps: [] };
    node.answers.apply_result = ({ check }) => ({ ...conflicts, kind: check === true ? 'checked' : 'applied' });
    const checked = await node.writ('apply', 't-1', '--check');
    expect(checked).toMatchObject({ code: 1, out: expect.stringContaining('  conflict: a\\u{202e}.ts') });
    expect((await node.writ('apply', 't-1')).code).toBe(0);
  });

  it.each([
    ['CONFLICT', 2],
    ['EVIDENCE_INVALID', 7],
    ['GIT_FAILED', 1],
  ] as const)('ends %s with %i', async (code, exit) => {
    node.answers.apply_result = () => {
      throw new WritError(code, 'why');
    };
    expect((await node.writ('apply', 't-1')).code).toBe(exit);
  });

  it('refuses --check with --checkout', async () => {
    expect((await node.writ('apply', 't-1', '--check', '--checkout')).code).toBe(2);
    expect(node.calls).toEqual([]);
  });
});

describe('writ verify of a task', () => {
  it('asks the node and prints what it checked', async () => {
    const checked = ['signature of beta', 'digests: bundle'];
    const verified = { task: 't-1', sha256: 'e'.repeat(64), node: 'beta', standing: 'pinned', state: 'completed' };
    node.answers.verify_result = () => ({
      ...verified,
      checked,
      not_checked: [],
      proves: 'who wrote it',
    });
    const { code, out } = await node.writ('verify', 't-1');
    expect(code).toBe(0);
    expect(out).toBe(
      'verified: the result of task t-1 by beta, completed\npinned\n  checked      signature of beta\n' +
        '  checked      digests: bundle\nit proves who wrote it\n',
    );
  });
});

describe('writ task forget', () => {
  it('ends the task', async () => {
    node.answers.task_forget = () => ({ task: 't-1', state: 'lost', message: 'given up' });
    expect(await node.writ('task', 'forget', 't-1', '--yes')).toMatchObject({
      code: 0,
      out: 'task t-1 is lost: given up\n',
    });
  });
});

describe('writ delegate', () => {
  const outcome = { state: 'completed', message: 'exit 0', truncated: false, result: 'e'.repeat(64) };

  beforeEach(() => {
    node.answers.delegate = () => ({ accepted: true, task: 't-1', state: 'running' });
    node.answers.task_watch = () => [{ seq: 1, kind: 'outcome', outcome }];
    node.answers.result = () => shown;
  });

  it('ends with what came back, who vouches for it and how to apply it', async () => {
    const { err } = await node.writ('delegate', '-p', 'beta', '--', 'true');
    expect(err).toMatch(/3 files changed, \+10 -2 · 2 artifacts · vouched by beta · writ apply t-1\S*\n$/);
  });

  it('does so neither with --json nor where nothing was signed, and is not kept from its exit code', async () => {
    const json = await node.writ('delegate', '-p', 'beta', '--json', '--', 'true');
    expect(JSON.parse(json.out.trim().split('\n').at(-1) ?? '')).toMatchObject({ kind: 'outcome', outcome });
    node.answers.task_watch = () => [{ seq: 1, kind: 'outcome', outcome: { ...outcome, result: undefined } }];
    await node.writ('delegate', '-p', 'beta', '--', 'true');
    expect(node.calls.map(({ name }) => name)).not.toContain('result');
    node.answers = { ...node.answers, task_watch: () => [{ seq: 1, kind: 'outcome', outcome }] };
    delete node.answers.result;
    const done = await node.writ('delegate', '-p', 'beta', '--', 'true');
    expect(done).toMatchObject({ code: 0, err: expect.stringContaining('no result: no answer to result') });
  });

  it('sends the working tree that it was typed in, or the one that it is told, and asks for artifacts', async () => {
    await node.writ('delegate', '-p', 'beta', '-w', 'app', '--ship', '--artifact', 'a', '--artifact', 'b/*', '--', 'x');
    await node.writ('delegate', '-p', 'beta', '-w', 'app', '--ship', 'some/where', '--', 'x');
    const [first, second] = node.calls.filter(({ name }) => name === 'delegate');
    expect(first?.input).toMatchObject({ ship: resolve('.'), artifacts: ['a', 'b/*'], argv: ['x'] });
    expect(second?.input).toMatchObject({ ship: resolve('some/where'), argv: ['x'] });
    expect(second?.input.shell).toEqual({ git: expect.arrayContaining([`HOME=${process.env.HOME}`]) });
    expect(second?.input).not.toHaveProperty('artifacts');
  });
});
