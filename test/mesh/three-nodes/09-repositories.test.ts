import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { follow, gitIn, makeRepository, run, startThreeNodes, submit, type ThreeNodes } from '@writ/testkit/mesh';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ODD = { '-n': '1', '--help': '2', 'a\nb': '3', 'c\td "e" \\': '4', 'dir/-rf': '5', 'ünï 😀': '6' };

let nodes: ThreeNodes;
let at: (name: string) => string;
beforeAll(async () => {
  nodes = await startThreeNodes({
    workspaces: (dir) => ({
      empty: makeRepository(join(dir, 'empty'), {}),
      dirty: makeRepository(join(dir, 'dirty'), { 'a.txt': 'committed\n', '.gitignore': 'ignored\n' }),
      odd: makeRepository(join(dir, 'odd'), ODD),
      dashed: makeRepository(join(dir, '-dashed')),
      folder: join(dir, 'folder'),
      missing: join(dir, 'missing'),
    }),
  });
  at = (name) => join(nodes.mesh.dir, name);
  mkdirSync(at('folder'));
  await nodes.beta.client().call('lease_grant', { peer: 'alpha', profile: 'repo-dev', duration: '1h' });
}, 120_000);
afterAll(() => nodes.mesh.close(), 60_000);

const work = (workspace: string, script: string, more: { ref?: string } = {}) =>
  run(nodes.alpha, { profile: 'repo-dev', workspace, argv: ['sh', '-c', script], ...more });

describe('a workspace', () => {
  it('without commits is worked on all the same, or refused with the reason', async () => {
    const { outcome, output } = await work('empty', 'git status --short --branch; echo made > new.txt; ls');
    if (outcome.state === 'completed') expect(output.toString()).toMatch(/No commits yet[\s\S]*new.txt/);
    else expect(outcome).toMatchObject({ state: 'failed', message: expect.stringMatching(/commit/) });
  });

  it('with a dirty tree is cloned as it was committed, and its tree is not touched', async () => {
    writeFileSync(join(at('dirty'), 'a.txt'), 'changed\n');
    writeFileSync(join(at('dirty'), 'untracked'), 'u');
    writeFileSync(join(at('dirty'), 'ignored'), 'i');
    gitIn(at('dirty'), 'add', 'untracked');
    const before = gitIn(at('dirty'), 'status', '--porcelain', '--ignored');
    const { output, outcome } = await work(
      'dirty',
      'cat a.txt; ls; echo theirs > a.txt; git add -A; git -c user.name=t -c user.email=t@t commit -qm x; rm -rf ./*',
    );
    expect(outcome.state).toBe('completed');
    expect(output.toString()).toBe('committed\na.txt\n');
    expect(gitIn(at('dirty'), 'status', '--porcelain', '--ignored')).toBe(before);
    expect(readFileSync(join(at('dirty'), 'a.txt'), 'utf8')).toBe('changed\n');
    expect(gitIn(at('dirty'), 'rev-list', '--count', '--all')).toBe('1');
  });

  it('with names that begin with a dash or hold line breaks is cloned whole', async () => {
    const { output, outcome } = await work('odd', 'git ls-files -z; git status --porcelain');
    expect(outcome.state).toBe('completed');
    expect(
      output
        .toString()
        .split('\0')
        .filter((name) => name !== '')
        .sort(),
    ).toEqual(Object.keys(ODD).sort());
  });

  it('whose own folder begins with a dash is cloned', async () => {
    expect((await work('dashed', 'cat README.md')).output.toString()).toBe('hello\n');
  });

  it.each(['folder', 'missing'])(
    'that is no repository fails, with the reason at the node that has it: %s',
    async (workspace) => {
      const task = await submit(nodes.alpha, { profile: 'repo-dev', workspace, argv: ['true'] });
      const { outcome } = await follow(nodes.alpha, task);
      expect(outcome).toMatchObject({ state: 'failed', code: 'GIT_FAILED' });
      // A peer is told where to ask, and no path of this machine.
      expect(outcome.message).toContain(`writ task show ${task}`);
      const there = await nodes.beta.client().call('status', { task });
      expect(there.outcome?.message).toMatch(/repository|exist|workspace/);
    },
  );

  it('shares no file with its clones, so that nothing reaches it through a link', async () => {
    const { output } = await work(
      'dirty',
      'find .git -type f -links +1 | head; cat .git/objects/info/alternates 2>/dev/null; true',
    );
    expect(output.toString()).toBe('');
  });
});

describe('a branch', () => {
  it('with an odd name is checked out, and its commit is what runs', async () => {
    const repo = at('odd');
    for (const name of ['a/b', 'ünï', 'with.dot', 'x@y']) {
      gitIn(repo, 'branch', '--', name);
      expect((await work('odd', 'git rev-parse HEAD', { ref: name })).output.toString().trim()).toBe(
        gitIn(repo, 'rev-parse', 'main'),
      );
    }
  });

  it.each(['-q', '--upload-pack=touch /tmp/x', 'main\n', 'main..', '../main', 'no-such', 'HEAD@{1}'])(
    'that cannot be one fails, and is no option of git: %j',
    async (ref) => {
      const done = await work('odd', 'true', { ref }).catch((error: Error) => error);
      if (done instanceof Error) expect(done.message).toMatch(/refused|ref/);
      else expect(done.outcome.state).toBe('failed');
    },
  );
});

describe('configuration inside a repository', () => {
  it('runs nothing at the node: hooks, filters, fsmonitor', async () => {
    const repo = makeRepository(at('app2'), { '.gitattributes': '* filter=evil\n', 'f.txt': 'x\n' });
    const witness = at('witness');
    gitIn(repo, 'config', 'filter.evil.smudge', `touch ${witness}; cat`);
    gitIn(repo, 'config', 'core.fsmonitor', `touch ${witness}`);
    gitIn(repo, 'config', 'uploadpack.packObjectsHook', `touch ${witness}`);
    for (const hook of ['post-checkout', 'pre-commit', 'reference-transaction', 'post-index-change']) {
      writeFileSync(join(repo, '.git/hooks', hook), `#!/bin/sh\ntouch ${witness}\n`, { mode: 0o755 });
    }
    await nodes.beta.configure(
      nodes.beta.config().replace(/(\[workspaces.app\]\npath = )".*"/, `$1${JSON.stringify(repo)}`),
    );
    const { output } = await work('app', `cat f.txt; ls ${witness} 2>/dev/null; true`);
    expect(output.toString()).toBe('x\n');
  });
});
