import { sha256Hex, WritError } from '@writ/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BETA_ID } from '../testing/fake-config.ts';
import { TASK_TOKEN } from '../testing/fake-node.ts';
import { completed, fakeMirror, fakeTask } from '../testing/fake-records.ts';
import { EXECUTOR_ID, fakeEnvelope, fakeReceived, fakeResult } from '../testing/fake-results.ts';
import { type Listening, startListening } from '../testing/listening.ts';

let at: Listening;

beforeEach(async () => {
  at = await startListening();
});
afterEach(() => at.stop());

const ended = (id: string, change = {}) => fakeMirror(id, { state: 'completed', outcome: completed, ...change });

/** A task that was asked for and whose result, with a change, is here. */
function deliver(id: string, change: Parameters<typeof fakeResult>[1] = {}, more = {}): void {
  at.node.asked.records.set(id, ended(id));
  at.node.results.received.set(id, fakeReceived(fakeResult(id, change), more));
}

describe('result', () => {
  it('shows what came back: standing, changes, artifacts and what is nested', async () => {
    const { keep } = at.node.results;
    const below = fakeResult('t-c', {
      node: BETA_ID,
      outcome: { state: 'failed', code: 'WORKER_FAILED', message: 'exit 1' },
      children: [{ task: 't-d', node: EXECUTOR_ID, nonce: '2'.repeat(32), envelope: 'd'.repeat(64) }],
    });
    const changes = {
      kind: 'changed' as const,
      base: null,
      head: '3'.repeat(40),
      tree: '4'.repeat(40),
      files: [
        {
          path: 'a\u202eb',
          encoding: 'utf8',
          status: 'M',
          oldMode: '100644',
          mode: '100644',
          insertions: 2,
          deletions: 1,
        },
        { path: '/w==', encoding: 'base64', status: 'A', oldMode: '0', mode: '0', insertions: null, deletions: null },
      ] as const,
      insertions: 2,
      deletions: 1,
      patch: keep('patch'),
      bundle: keep('bundle'),
    };
    deliver(
      't-a',
      {
        changes: { ...changes, files: [...changes.files] },
        artifacts: [{ name: '../../etc/passwd', ...keep('x') }],
        children: [{ task: 't-c', node: BETA_ID, nonce: '1'.repeat(32), envelope: 'c'.repeat(64) }],
      },
      {
        standing: { vouchedBy: BETA_ID },
        acknowledgedAtMs: 6,
        children: [{ sha256: 'c'.repeat(64), result: below, children: [] }],
      },
    );
    const shown = await at.client.call('result', { task: 't-a' });
    expect(shown).toMatchObject({
      task: 't-a',
      side: 'asked',
      node: EXECUTOR_ID,
      standing: 'vouched by beta',
      late: false,
      received_at_ms: 5,
      receipt_at_ms: 6,
      state: 'completed',
      ending: 'exit 0',
      changes: { kind: 'changed', head: '3'.repeat(40), file_count: 2, insertions: 2, deletions: 1 },
      artifact_count: 1,
      artifacts: [{ name: '../../etc/passwd', sha256: sha256Hex('x'), bytes: 1 }],
      nested: [
        { depth: 1, task: 't-c', node: 'beta', state: 'failed', code: 'WORKER_FAILED' },
        { depth: 2, task: 't-d', sha256: 'd'.repeat(64) },
      ],
    });
    expect(shown.changes.base).toBeUndefined();
    expect(shown.changes.files).toEqual([
      { status: 'M', path: 'a\u202eb', insertions: 2, deletions: 1 },
      { status: 'A', path: 'base64:/w==' },
    ]);
    expect((await at.client.call('result', { task: 't-a', limit: 1 })).changes).toMatchObject({
      file_count: 2,
      files: [{ status: 'M' }],
    });
  });

  it('says that its node takes no receipt', async () => {
    deliver('t-r', {}, { refusedAtMs: 7 });
    const { result } = await at.client.call('task_show', { task: 't-r' });
    expect([result?.receipt_at_ms, result?.receipt_refused_at_ms]).toEqual([undefined, 7]);
  });

  it('shows what this node signed itself, and whether the sender has it', async () => {
    const children = [{ task: 't-k', node: EXECUTOR_ID, nonce: '1'.repeat(32), envelope: sha256Hex('t-k') }];
    at.node.executing.records.set('t-b', fakeTask('t-b', { state: 'completed', outcome: completed }));
    at.node.results.signed.set('t-b', { ...fakeEnvelope(fakeResult('t-b', { children })), receiptAtMs: 9 });
    deliver('t-k');
    at.node.asked.records.set('t-k', ended('t-k', { parent: 't-b' }));
    const shown = await at.client.call('result', { task: 't-b' });
    expect(shown).toMatchObject({ side: 'executing', standing: 'own', receipt_at_ms: 9 });
    expect(shown.nested).toMatchObject([{ task: 't-k', state: 'completed' }]);
    // Somebody else's task of that id is not what was handed on.
    at.node.asked.records.set('t-k', ended('t-k', { parent: 't-x' }));
    expect((await at.client.call('result', { task: 't-b' })).nested[0]?.state).toBeUndefined();
  });

  it('says why there is none', async () => {
    at.node.asked.records.set('t-run', fakeMirror('t-run'));
    at.node.asked.records.set('t-lost', ended('t-lost', { state: 'lost', outcome: { ...completed, message: 'gone' } }));
    const refused = {
      ...completed,
      state: 'failed',
      code: 'EVIDENCE_INVALID',
      message: 'result is not verified: nonce',
    };
    at.node.asked.records.set('t-bad', ended('t-bad', { state: 'failed', outcome: refused }));
    for (const name of ['result', 'verify_result', 'list_artifacts'] as const) {
      await expect(at.client.call(name, { task: 't-run' })).rejects.toMatchObject({
        code: 'NOT_FOUND',
        message: expect.stringContaining('it has no result yet'),
      });
      await expect(at.client.call(name, { task: 't-lost' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(at.client.call(name, { task: 't-bad' })).rejects.toMatchObject({
        code: 'EVIDENCE_INVALID',
        message: 'result is not verified: nonce',
      });
    }
  });

  it('is named, with its receipt, by task_show', async () => {
    deliver('t-a');
    const shown = await at.client.call('task_show', { task: 't-a' });
    expect(shown.result).toEqual({ sha256: sha256Hex('t-a'), standing: 'pinned', late: false, received_at_ms: 5 });
  });
});

describe('artifacts', () => {
  it('are listed page by page', async () => {
    const names = ['a', 'b', 'c'];
    deliver('t-a', { artifacts: names.map((name) => ({ name, ...at.node.results.keep(name) })) });
    expect(await at.client.call('list_artifacts', { task: 't-a', limit: 2 })).toMatchObject({
      artifacts: [{ name: 'a' }, { name: 'b' }],
      total: 3,
      next_offset: 2,
    });
    const last = await at.client.call('list_artifacts', { task: 't-a', limit: 2, offset: 2 });
    expect(last.artifacts).toMatchObject([{ name: 'c' }]);
    expect(last.next_offset).toBeUndefined();
  });

  it('are read page by page without cutting a character, by name and by digest', async () => {
    const stored = at.node.results.keep('aaaé!');
    deliver('t-a', { artifacts: [{ name: 'out.txt', ...stored }] });
    const first = await at.client.call('artifact', { task: 't-a', name: 'out.txt', limit: 4 });
    expect(first).toEqual({ sha256: stored.sha256, encoding: 'utf8', data: 'aaa', next_offset: 3, end: false });
    const rest = await at.client.call('artifact', { task: 't-a', sha256: stored.sha256, offset: 3 });
    expect(rest).toMatchObject({ data: 'é!', next_offset: 6, end: true });
  });

  it('that are no text come as base64', async () => {
    deliver('t-a', { artifacts: [{ name: 'out.bin', ...at.node.results.keep(Uint8Array.of(0xff, 0, 0xe2)) }] });
    expect(await at.client.call('artifact', { task: 't-a', name: 'out.bin' })).toMatchObject({
      encoding: 'base64',
      data: '/wDi',
      end: true,
    });
  });

  it('that the result does not name are not there', async () => {
    at.node.results.keep('secret');
    deliver('t-a');
    const named = { task: 't-a', name: '../secret' };
    await expect(at.client.call('artifact', named)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(at.client.call('artifact', { task: 't-a' })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    await expect(at.client.call('artifact', { task: 't-a', sha256: '../x' })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
  });

  it('and everything else that a result names are streamed whole', async () => {
    const bytes = Buffer.alloc(600_000, 'ab');
    const { sha256 } = at.node.results.keep(bytes);
    deliver('t-a');
    const pages: Buffer[] = [];
    for await (const { data } of at.client.stream('task_content', { task: 't-a', sha256 })) {
      pages.push(Buffer.from(data, 'base64'));
    }
    expect(pages).toHaveLength(3);
    expect(Buffer.concat(pages).equals(bytes)).toBe(true);
  });
});

describe('verify_result', () => {
  it('says what was checked, who vouches and what it proves', async () => {
    deliver('t-a', { artifacts: [{ name: 'a', ...at.node.results.keep('a') }] });
    const { keep } = at.node.results;
    const verified = await at.client.call('verify_result', { task: 't-a' });
    expect(verified).toMatchObject({
      standing: 'pinned',
      not_checked: [],
      proves: expect.stringContaining('not that'),
    });
    expect(verified.checked).toContain('digests: 1 artifact');
    expect(keep('a').bytes).toBe(1);
    deliver('t-b', {}, { standing: { vouchedBy: BETA_ID } });
    expect((await at.client.call('verify_result', { task: 't-b' })).standing).toBe('vouched by beta');
  });

  it('throws what is invalid', async () => {
    deliver('t-a');
    at.node.results.invalid = new WritError('EVIDENCE_INVALID', 'the bundle is refused');
    await expect(at.client.call('verify_result', { task: 't-a' })).rejects.toMatchObject({ code: 'EVIDENCE_INVALID' });
  });

  it('is for what was asked for from here', async () => {
    at.node.executing.records.set('t-b', fakeTask('t-b', { state: 'completed', outcome: completed }));
    for (const call of [
      at.client.call('verify_result', { task: 't-b' }),
      at.client.call('apply_result', { task: 't-b', repository: '/r' }),
      at.client.call('task_forget', { task: 't-b' }),
    ]) {
      await expect(call).rejects.toMatchObject({
        code: 'NOT_FOUND',
        message: 'task `t-b` was not asked for from here, it ran here',
      });
    }
  });
});

describe('apply_result', () => {
  const apply = (more = {}) => at.client.call('apply_result', { task: 't-a', repository: '/src/my app', ...more });
  const made = { branch: 'writ/t-a', head: '3'.repeat(40), base: null, checkedOut: false } as const;

  beforeEach(() => deliver('t-a'));

  it('makes a branch and says what to type next', async () => {
    expect(await apply()).toMatchObject({
      kind: 'applied',
      fit: 'ahead',
      message: 'branch writ/t-0 is made: it is ahead of what was checked out, and nothing stands against it',
      next_steps: ["git -C '/src/my app' merge --ff-only writ/t-0"],
    });
    const how = { repository: '/src/my app', check: false, checkout: false };
    expect(at.node.results.applied).toEqual([{ id: 't-a', how }]);
  });

  it('explains conflicts with their files and the commands', async () => {
    const files = ['a', 'b'].map((path) => ({ path, encoding: 'utf8' as const }));
    at.node.results.outcome = { kind: 'applied', ...made, fit: { kind: 'conflicts', commits: 1, files } };
    const answer = await apply();
    expect(answer).toMatchObject({ kind: 'applied', fit: 'conflicts', conflicts: ['a', 'b'] });
    expect(answer.message).toContain('has 1 commit that it lacks, and a merge conflicts in a, b');
    expect(answer.next_steps[0]).toContain("git -C '/src/my app' merge writ/t-a");
  });

  it.each([
    [
      { kind: 'merges', commits: 2 } as const,
      'has 2 commits that it lacks; a merge works without help',
      'merge writ/t-a',
    ],
    [{ kind: 'unrelated' } as const, 'no commit in common', 'switch writ/t-a'],
    [{ kind: 'no-commit' } as const, 'nothing was committed', 'switch writ/t-a'],
  ])('tells %j', async (fit, message, command) => {
    at.node.results.outcome = { kind: 'present', ...made, fit };
    const answer = await apply();
    expect(answer.message).toContain('branch writ/t-a was there already');
    expect(answer.message).toContain(message);
    expect(answer.next_steps).toEqual([`git -C '/src/my app' ${command}`]);
  });

  it('only checks where that is asked', async () => {
    at.node.results.outcome = { kind: 'checked', ...made, fit: { kind: 'ahead' } };
    expect(await apply({ check: true })).toMatchObject({
      kind: 'checked',
      next_steps: ["writ apply t-a --repo '/src/my app'"],
    });
    at.node.results.outcome = { kind: 'nothing', why: 'the task has changed no file' };
    expect(await apply()).toMatchObject({
      kind: 'nothing',
      message: 'there is nothing to apply: the task has changed no file',
    });
  });

  it('says how to take what came of a working tree that was sent along', async () => {
    const shipped = { commit: '5'.repeat(40), bundle: { sha256: '6'.repeat(64), bytes: 1 } };
    at.node.asked.records.set('t-a', ended('t-a', { spec: { ...fakeMirror('t-a').spec, shipped } }));
    expect((await apply()).next_steps).toEqual([
      "onto the working tree as it was sent: writ task result t-a --patch | git -C '/src/my app' apply",
      "where nothing there is uncommitted: git -C '/src/my app' switch writ/t-0",
    ]);
  });

  it('says which folder is no repository', async () => {
    at.node.results.invalid = new WritError(
      'GIT_FAILED',
      'git: not a git repository (or any of the parent directories)',
    );
    await expect(apply()).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: 'repository: `/src/my app` is no git repository',
    });
  });

  it('takes an absolute path only, and tells what stands against it', async () => {
    await expect(apply({ repository: 'app' })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    at.node.results.invalid = new WritError('CONFLICT', 'the working tree has changes', { nextSteps: ['commit'] });
    await expect(apply({ checkout: true })).rejects.toMatchObject({ code: 'CONFLICT', nextSteps: ['commit'] });
  });
});

describe('task_forget', () => {
  it('ends the task in the name of the person', async () => {
    at.node.asked.records.set('t-a', fakeMirror('t-a', { unreachable: true }));
    expect(await at.client.call('task_forget', { task: 't-a' })).toMatchObject({ task: 't-a', state: 'lost' });
    expect(at.node.results.forgotten).toEqual([{ id: 't-a', by: 'person' }]);
  });
});

describe('delegate', () => {
  it('hands on artifacts once each, and the working tree to send', async () => {
    const input = { to: 'beta', argv: ['true'], workspace: 'app', artifacts: ['a', 'b/*', 'a'], ship: '/src/app' };
    await at.client.call('delegate', input);
    expect(at.node.delegated).toMatchObject([{ ship: '/src/app', spec: { artifacts: ['a', 'b/*'] } }]);
  });

  it.each([
    [{ ship: 'src/app', workspace: 'app' }, 'no absolute path'],
    [{ ship: '/src/app' }, 'say which workspace'],
    [{ ship: '/src/app', workspace: 'app', ref: 'main' }, 'give only one'],
  ])('refuses %j', async (input, message) => {
    const call = at.client.call('delegate', { to: 'beta', argv: ['true'], ...input });
    await expect(call).rejects.toMatchObject({ code: 'BAD_REQUEST', message: expect.stringContaining(message) });
    expect(at.node.delegated).toEqual([]);
  });
});

describe('a task that is kept no more', () => {
  const removed = { code: 'NOT_FOUND', message: 'the task is over, and was removed here on 2026-01-02' };

  it.each(['task_show', 'result', 'verify_result', 'status'] as const)('%s says when it was removed', async (name) => {
    at.node.asked.removedAtMs.set('t-asked', Date.UTC(2026, 0, 2));
    at.node.executing.removedAtMs.set('t-ran', Date.UTC(2026, 0, 2));
    await expect(at.client.call(name, { task: 't-asked' })).rejects.toMatchObject(removed);
    await expect(at.client.call(name, { task: 't-ran' })).rejects.toMatchObject(removed);
  });

  it('is none to a task token', async () => {
    at.node.executing.records.set('t-root', fakeTask('t-root'));
    at.node.asked.removedAtMs.set('t-asked', Date.UTC(2026, 0, 2));
    await expect(at.clientWith(TASK_TOKEN).call('result', { task: 't-asked' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'there is no task `t-asked` here',
    });
  });
});

describe('to a task token', () => {
  beforeEach(() => {
    at.node.executing.records.set('t-root', fakeTask('t-root'));
    deliver('t-mine');
    deliver('t-other');
    at.node.children.set('t-mine', 't-root');
  });

  const { sha256 } = { sha256: sha256Hex('x') };

  it.each(['result', 'list_artifacts', 'verify_result'] as const)('%s reaches its own subtree only', async (name) => {
    const task = at.clientWith(TASK_TOKEN);
    await task.call(name, { task: 't-mine' });
    await expect(task.call(name, { task: 't-other' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'there is no task `t-other` here',
    });
  });

  it('artifact and content reach its own subtree only', async () => {
    at.node.results.keep('x');
    const task = at.clientWith(TASK_TOKEN);
    const read = async (id: string) => {
      for await (const _ of task.stream('task_content', { task: id, sha256 })) break;
      return task.call('artifact', { task: id, sha256 });
    };
    expect(await read('t-mine')).toMatchObject({ data: 'x' });
    await expect(read('t-other')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(task.call('artifact', { task: 't-other', sha256 })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it.each(['apply_result', 'task_forget'] as const)('there is no %s', async (name) => {
    const task = at.clientWith(TASK_TOKEN);
    await expect(task.call(name, { task: 't-mine', repository: '/r' } as never)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: `there is no operation \`${name}\` for the token of a task`,
    });
    expect(at.node.results.applied).toEqual([]);
    expect(at.node.results.forgotten).toEqual([]);
  });

  it('a working tree that is sent along goes in the name of the task', async () => {
    const input = { to: 'beta', argv: ['true'], workspace: 'app', ship: '/work/clone' };
    await at.clientWith(TASK_TOKEN).call('delegate', input);
    expect(at.node.delegated).toMatchObject([{ ship: '/work/clone', parent: expect.any(String) }]);
    // What git is told on this machine is no task's to say.
    await at.clientWith(TASK_TOKEN).call('delegate', { ...input, shell: { git: ['GIT_CONFIG_GLOBAL=/dev/null'] } });
    expect(at.node.delegated[1]).not.toHaveProperty('shell');
  });
});
