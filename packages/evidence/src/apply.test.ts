import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isWritError, type WritError } from '@writ/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApplyRequest, applyResult, branchOf } from './apply.ts';
import { collectEvidence } from './collect.ts';
import type { Result } from './result-schema.ts';
import { BUNDLE_LIMITS, createFixture, type Fixture, TASK } from './testing/fixture.ts';
import { createEvidenceNodes, type EvidenceNodes } from './testing/nodes.ts';
import type { Changes, GitStep } from './types.ts';

type Changed = Extract<Changes, { kind: 'changed' }>;
const BRANCH = `writ/${TASK}`;

describe('applying a result', () => {
  let f: Fixture;
  let nodes: EvidenceNodes;
  let base: string;
  let changes: Changed;
  beforeEach(async () => {
    f = createFixture();
    nodes = await createEvidenceNodes(2);
    f.write(f.owner, { 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'b\n' });
    base = f.commit(f.owner);
    f.clone();
    f.write(f.work, {
      'a.txt': 'one\n2\nthree\n',
      'new.txt': 'n\n',
      '.gitattributes': '*.txt filter=evil merge=evil\n',
    });
    changes = (await collectEvidence(f.request(base))) as Changed;
  });
  afterEach(() => {
    f.remove();
    nodes.remove();
  });

  const resultWith = (other: object = {}): Result =>
    nodes.sign(nodes.nodes, { task: TASK, changes: { ...changes, ...other } as Result['changes'] }).result;
  const apply = async (more: Partial<ApplyRequest> = {}) =>
    applyResult({
      ...f.gitWork,
      guard: f.guard,
      result: resultWith(),
      bundleFile: await f.store.pathOf(changes.bundle.sha256),
      repository: f.owner,
      check: false,
      checkout: false,
      limits: BUNDLE_LIMITS,
      ...more,
    });
  const failure = async (more: Partial<ApplyRequest> = {}): Promise<WritError> => {
    const error: unknown = await apply(more).then(
      (applied) => new Error(`it was ${applied.kind}`),
      (thrown) => thrown,
    );
    if (!isWritError(error)) throw error;
    return error;
  };
  /** The repository's own word is over that of its trees. */
  const withoutFilter = (): void => f.write(f.owner, { '.git/info/attributes': '*.txt -filter\n' });
  /** Everything of the owner's that may not change. */
  const ownerState = (): unknown => ({
    config: readFileSync(join(f.owner, '.git/config'), 'utf8'),
    refs: f.git(f.owner, 'for-each-ref'),
    head: readFileSync(join(f.owner, '.git/HEAD'), 'utf8'),
    index: readFileSync(join(f.owner, '.git/index')).toString('hex'),
    files: readdirSync(f.owner),
    inside: readdirSync(join(f.owner, '.git')),
  });

  it('makes a branch and touches nothing else', async () => {
    const before = ownerState() as { refs: string };
    expect(await apply({ check: true })).toMatchObject({ kind: 'checked', branch: BRANCH, fit: { kind: 'ahead' } });
    expect(ownerState()).toEqual(before);
    expect(await apply()).toEqual({
      kind: 'applied',
      branch: BRANCH,
      head: changes.head,
      base,
      fit: { kind: 'ahead' },
      checkedOut: false,
    });
    expect(f.git(f.owner, 'rev-parse', BRANCH)).toBe(changes.head);
    expect(f.git(f.owner, 'show', `${BRANCH}:a.txt`)).toBe('one\n2\nthree');
    f.git(f.owner, 'fsck', '--strict');
    const after = ownerState() as { refs: string; inside: string[] };
    expect({ ...after, refs: '' }).toEqual({ ...before, refs: '' });
    expect(after.refs.split('\n').filter((line) => !before.refs.includes(line))).toHaveLength(1);
    expect(await apply()).toMatchObject({ kind: 'present' });
    expect(readdirSync(f.gitWork.gitDirRoot)).toEqual([]);
  });

  it('leaves a dirty working tree alone, and refuses to switch it', async () => {
    f.write(f.owner, { 'a.txt': 'dirty\n' });
    expect(await failure({ checkout: true })).toMatchObject({ code: 'CONFLICT' });
    expect(f.git(f.owner, 'branch', '--list', BRANCH)).toBe('');
    expect(await apply()).toMatchObject({ kind: 'applied' });
    expect(readFileSync(join(f.owner, 'a.txt'), 'utf8')).toBe('dirty\n');
  });

  it('switches a clean working tree where told so', async () => {
    withoutFilter();
    expect(await apply({ checkout: true })).toMatchObject({ kind: 'applied', checkedOut: true });
    expect(readFileSync(join(f.owner, 'a.txt'), 'utf8')).toBe('one\n2\nthree\n');
    expect(f.git(f.owner, 'branch', '--show-current')).toBe(BRANCH);
  });

  it.each([
    ['does not track', ''],
    ['ignores', 'new.txt\n'],
  ])('overwrites no file that git %s, and says where the branch is', async (_, ignored) => {
    withoutFilter();
    writeFileSync(join(f.owner, '.git', 'info', 'exclude'), ignored);
    f.write(f.owner, { 'new.txt': 'precious\n' });
    const refused = await failure({ checkout: true });
    expect(refused).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('may stand in the way') });
    expect(refused.nextSteps[0]).toContain(`git switch --no-overwrite-ignore ${BRANCH}`);
    expect(readFileSync(join(f.owner, 'new.txt'), 'utf8')).toBe('precious\n');
    expect(f.git(f.owner, 'branch', '--list', BRANCH)).toContain(BRANCH);
    expect(readFileSync(join(f.owner, 'a.txt'), 'utf8')).not.toBe('one\n2\nthree\n');
  });

  it('explains what a merge would meet where both sides have gone on', async () => {
    f.write(f.owner, { 'b.txt': 'other\n' });
    f.commit(f.owner);
    expect(await apply({ check: true })).toMatchObject({ fit: { kind: 'merges', commits: 1 } });
    f.write(f.owner, { 'a.txt': 'one\nzwei\nthree\n', 'new.txt': 'mine\n' });
    f.commit(f.owner);
    const objects = f.git(f.owner, 'count-objects', '-v');
    expect(await apply({ check: true })).toMatchObject({
      fit: {
        kind: 'conflicts',
        commits: 2,
        files: [
          { path: 'a.txt', encoding: 'utf8' },
          { path: 'new.txt', encoding: 'utf8' },
        ],
      },
    });
    expect(f.git(f.owner, 'count-objects', '-v')).toBe(objects);
    f.git(f.owner, 'switch', '--quiet', '--orphan', 'alone');
    expect(await apply({ check: true })).toMatchObject({ fit: { kind: 'no-commit' } });
    f.write(f.owner, { 'c.txt': 'c\n' });
    f.commit(f.owner);
    expect(await apply({ check: true })).toMatchObject({ fit: { kind: 'unrelated' } });
  });

  it('refuses a repository that is another one', async () => {
    const other = join(f.root, 'other');
    f.git(f.root, 'init', '--quiet', other);
    f.write(other, { 'a.txt': 'one\n' });
    f.commit(other);
    const error = await failure({ repository: other });
    expect(error.code).toBe('CONFLICT');
    expect(error.message).toBe(`\`${other}\` does not hold commit ${base}, which this work builds on`);
    expect(await failure({ repository: f.root })).toMatchObject({ code: 'BAD_REQUEST' });
  });

  it('refuses a branch that leads elsewhere already', async () => {
    f.git(f.owner, 'branch', BRANCH);
    expect(await failure()).toMatchObject({ code: 'CONFLICT', details: { branch: BRANCH, head: base } });
    expect(f.git(f.owner, 'rev-parse', BRANCH)).toBe(base);
  });

  it('works with a repository without commits, a bare one, a worktree and a history that is cut off', async () => {
    const bare = join(f.root, 'bare.git');
    f.git(f.root, 'clone', '--quiet', '--bare', f.owner, bare);
    expect(await apply({ repository: bare })).toMatchObject({ kind: 'applied' });
    const shallow = join(f.root, 'shallow');
    f.write(f.owner, { 'later.txt': 'l\n' });
    f.commit(f.owner);
    f.git(f.root, 'clone', '--quiet', '--depth=2', `file://${f.owner}`, shallow);
    expect(await apply({ repository: shallow })).toMatchObject({
      kind: 'applied',
      fit: { kind: 'merges', commits: 1 },
    });
    const tree = join(f.root, 'tree');
    f.git(f.owner, 'worktree', 'add', '--quiet', '--detach', tree, base);
    expect(await apply({ repository: tree })).toMatchObject({ kind: 'applied', fit: { kind: 'ahead' } });

    rmSync(f.work, { recursive: true });
    f.git(f.root, 'init', '--quiet', f.work);
    f.write(f.work, { 'first.txt': '1\n' });
    changes = (await collectEvidence(f.request(undefined))) as Changed;
    const empty = join(f.root, 'empty');
    f.git(f.root, 'init', '--quiet', empty);
    expect(await apply({ repository: empty })).toMatchObject({
      kind: 'applied',
      base: null,
      fit: { kind: 'no-commit' },
    });
    expect(f.git(empty, 'show', `${BRANCH}:first.txt`)).toBe('1');
  });

  it('says what to do in a clone that lacks objects by agreement', async () => {
    f.git(f.owner, 'config', 'uploadpack.allowFilter', 'true');
    f.git(f.root, 'clone', '--quiet', '--no-checkout', '--filter=blob:none', `file://${f.owner}`, 'partial');
    const partial = join(f.root, 'partial');
    const lacking = {
      code: 'CONFLICT',
      message: expect.stringContaining('is a partial clone, and lacks objects'),
      nextSteps: [expect.stringContaining('git fetch --refetch --no-filter'), expect.anything()],
    };
    expect(await failure({ repository: partial })).toMatchObject(lacking);
    // Now all is there but the old content of what has changed.
    f.git(partial, 'sparse-checkout', 'set', '--no-cone', '/b.txt');
    f.git(partial, 'checkout', '--quiet', 'main');
    expect(readdirSync(partial)).toEqual(['.git', 'b.txt']);
    for (const checkout of [false, true]) {
      expect(await failure({ repository: partial, checkout })).toMatchObject(lacking);
    }
    f.git(partial, 'fetch', '--quiet', '--refetch', '--no-filter');
    expect(await apply({ repository: partial })).toMatchObject({ kind: 'applied' });
  });

  it('runs no hook, filter, driver or monitor of the owner or the agent', async () => {
    const witness = join(f.root, 'witness');
    const script = join(f.root, 'evil.sh');
    writeFileSync(script, `#!/bin/sh\necho "$0 $*" >> ${witness}\n`, { mode: 0o755 });
    for (const key of [
      'core.fsmonitor',
      'filter.evil.clean',
      'filter.evil.smudge',
      'merge.evil.driver',
      'diff.external',
    ]) {
      f.git(f.owner, 'config', key, script);
    }
    f.git(f.owner, 'config', `url.ext::${script}.insteadOf`, '/nowhere');
    for (const hook of ['reference-transaction', 'post-checkout', 'post-merge', 'pre-auto-gc', 'post-index-change']) {
      f.write(f.owner, { [`.git/hooks/${hook}`]: `#!/bin/sh\necho ${hook} >> ${witness}\n` });
      chmodSync(join(f.owner, '.git/hooks', hook), 0o755);
    }
    const config = readFileSync(join(f.owner, '.git/config'), 'utf8');
    expect(await apply()).toMatchObject({ kind: 'applied' });
    expect(existsSync(witness)).toBe(false);
    expect(readFileSync(join(f.owner, '.git/config'), 'utf8')).toBe(config);
  });

  it('refuses a bundle that is not, in every respect, what was signed', async () => {
    const zeros = '0'.repeat(40);
    const [file, ...files] = changes.files;
    const lies: [string, object][] = [
      ['the bundle', { bundle: { sha256: '0'.repeat(64), bytes: 1 } }],
      ['its head', { head: zeros }],
      ['what it builds on', { base: null }],
      ['its tree', { tree: zeros }],
      ['the list of changed files', { files: [{ ...file, mode: '100755' }, ...files] }],
      ['the patch', { patch: { sha256: '0'.repeat(64), bytes: 1 } }],
    ];
    for (const [what, other] of lies) {
      expect(await failure({ result: resultWith(other) }), what).toMatchObject({ code: 'EVIDENCE_INVALID' });
      expect((await failure({ result: resultWith(other) })).message).toContain(`${what} is not what was signed`);
    }
    const fewer = await failure({ result: resultWith({ files: files }) });
    expect(fewer).toMatchObject({ code: 'EVIDENCE_INVALID', details: { step: 'changes' } });
    expect(f.git(f.owner, 'for-each-ref', 'refs/heads/writ')).toBe('');
    expect(readdirSync(f.gitWork.gitDirRoot)).toEqual([]);
  });

  it('refuses a bundle with any one bit flipped', async () => {
    const bundle = readFileSync(await f.store.pathOf(changes.bundle.sha256));
    const bundleFile = join(f.root, 'flipped');
    const count = Number(process.env.WRIT_TEST_BUNDLE_FLIPS ?? 25);
    const step = Math.floor((bundle.length * 8) / count);
    for (let bit = 3; bit < bundle.length * 8; bit += step) {
      const flipped = Buffer.from(bundle);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      writeFileSync(bundleFile, flipped);
      expect((await failure({ bundleFile })).code, `bit ${bit}`).toMatch(/^(EVIDENCE_INVALID|CONFLICT)$/);
    }
    expect(f.git(f.owner, 'for-each-ref', 'refs/heads/writ')).toBe('');
  }, 300_000);

  it('is done where somebody else makes the same branch at the same time', async () => {
    const git: ApplyRequest['git'] = (call) => {
      if (call.step === 'fetch') f.git(f.owner, 'update-ref', `refs/heads/${BRANCH}`, changes.head);
      return f.gitWork.git(call);
    };
    await apply();
    f.git(f.owner, 'update-ref', '-d', `refs/heads/${BRANCH}`);
    expect(await apply({ git })).toMatchObject({ kind: 'applied', head: changes.head });
  });

  it('never says that it was applied where any single call of git fails', async () => {
    const steps: GitStep[] = [];
    await apply({
      check: true,
      git: (call) => {
        steps.push(call.step);
        return f.gitWork.git(call);
      },
    });
    for (let at = 0; at < steps.length + 3; at++) {
      let call = 0;
      const answer = { exitCode: 128, stdout: new Uint8Array(), reason: 'broken on purpose' };
      const error = await failure({
        git: (one) => (call++ === at ? Promise.resolve(answer) : f.gitWork.git(one)),
      }).catch(() => undefined);
      if (call <= at) break;
      expect(error?.code, `call ${at}`).toMatch(/^(EVIDENCE_INVALID|GIT_FAILED)$/);
      f.git(f.owner, 'update-ref', '-d', `refs/heads/${BRANCH}`);
    }
  }, 120_000);

  it('has nothing to do where nothing has changed, and names no branch after what is no id', async () => {
    const result = resultWith();
    const none: Result = { ...result, changes: { kind: 'none', base, tree: changes.tree } };
    expect(await apply({ result: none })).toEqual({ kind: 'nothing', why: 'the task has changed no file' });
    const scratch: Result = { ...result, changes: { kind: 'no-workspace' } };
    expect(await apply({ result: scratch })).toEqual({ kind: 'nothing', why: 'the task had no repository' });
    const lost: Result = { ...result, changes: { kind: 'uncollected', step: 'recovery' } };
    await expect(apply({ result: lost })).rejects.toMatchObject({
      code: 'EVIDENCE_FAILED',
      details: { step: 'recovery' },
    });
    await expect(apply({ repository: join(f.root, 'absent') })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    f.git(f.owner, 'symbolic-ref', `refs/heads/${BRANCH}`, 'refs/heads/elsewhere');
    await expect(apply({})).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(f.git(f.owner, 'branch', '--list', 'elsewhere')).toBe('');
    f.git(f.owner, 'symbolic-ref', '--delete', `refs/heads/${BRANCH}`);
    for (const inTheWay of ['writ', `${BRANCH}/x`]) {
      f.git(f.owner, 'branch', inTheWay);
      const refused = { code: 'CONFLICT', message: expect.stringContaining(`\`${inTheWay}\` leaves no room`) };
      for (const check of [true, false]) await expect(apply({ check })).rejects.toMatchObject(refused);
      f.git(f.owner, 'branch', '-D', inTheWay);
    }
    for (const task of ['-x', '../x', 'a..b', 'a.lock', 'a b', 'a\n', '', 'a~1', 'x.', 'a/b']) {
      expect(() => branchOf(task), task).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }));
    }
  });
});
