import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createTestMesh,
  executingConfig,
  gitIn,
  type MeshNode,
  makeRepository,
  type ProgramResult,
  pairNodes,
  run,
  startProgram,
  submit,
  type TestMesh,
  until,
  untilFinished,
  untilOutput,
} from '@writ/testkit/mesh';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let mesh: TestMesh;
let alpha: MeshNode;
let beta: MeshNode;
/** Alpha's own clone of what beta has as workspace `app`. */
let mine: string;

beforeAll(async () => {
  mesh = createTestMesh();
  const app = makeRepository(join(mesh.dir, 'app'));
  mine = join(mesh.dir, 'mine');
  gitIn(mesh.dir, 'clone', '--quiet', app, mine);
  [alpha, beta] = await Promise.all([
    mesh.add('alpha'),
    mesh.add('beta', { config: (listen) => executingConfig({ name: 'beta', listen, workspaces: { app } }) }),
  ]);
  await pairNodes(beta, alpha, { profiles: ['query', 'repo-dev'], workspaces: ['app'] });
  await alpha.configure(alpha.config().replace('[peers.beta.outbound]', '[peers.beta.outbound]\nship = true'));
  await beta.client().call('lease_grant', { peer: 'alpha', profile: 'repo-dev', duration: '8h' });
}, 120_000);
afterAll(() => mesh.close(), 60_000);

const work = (script: string) => ({ profile: 'repo-dev', workspace: 'app', argv: ['sh', '-ec', script] });
const ok = ({ code, stdout, stderr }: ProgramResult): string => {
  if (code !== 0) throw new Error(`it ended with ${code}: ${stderr}`);
  return stdout;
};
/** Runs to its end and gives the task. */
async function finished(script: string, state = 'completed'): Promise<string> {
  const task = await submit(alpha, work(script));
  expect(await untilFinished(alpha, task)).toMatchObject({ state });
  return task;
}
const folder = (node: MeshNode, ...names: string[]): string => join(node.home, 'evidence', ...names);

describe('what a task has changed', () => {
  it('comes back signed, is verified, and becomes a branch of the owner’s repository', async () => {
    const task = await finished('echo two >> README.md; mkdir dist; echo art > dist/a.txt; git commit -qam x || true');
    expect(ok(await alpha.writ('verify', task))).toContain('pinned');
    const base = gitIn(mine, 'rev-parse', 'HEAD');
    ok(await alpha.writ('apply', task, '--repo', mine));
    expect(gitIn(mine, 'rev-parse', `writ/${task}^`, 'HEAD')).toBe(`${base}\n${base}`);
    expect(gitIn(mine, 'diff', '--name-only', 'HEAD', `writ/${task}`)).toBe('README.md\ndist/a.txt');
    expect(gitIn(mine, 'status', '--porcelain')).toBe('');
  });

  it('outlasts a restart of both nodes', async () => {
    const task = await finished('echo restart >> README.md');
    await Promise.all([alpha.down(), beta.down()]);
    await Promise.all([alpha.up(), beta.up()]);
    expect(ok(await alpha.writ('verify', task))).toContain('pinned');
    expect(ok(await alpha.writ('task', 'result', '--patch', task))).toContain('+restart\n');
  });

  it('is told of a task that failed as well, and of one that was cancelled', async () => {
    const failed = await finished('echo failed >> README.md; exit 3', 'failed');
    expect(ok(await alpha.writ('task', 'result', '--patch', failed))).toContain('+failed\n');
    const task = await submit(alpha, work('echo half >> README.md; echo up; exec sleep 600'));
    await untilOutput(alpha, task, 'up');
    ok(await alpha.writ('task', 'cancel', task));
    expect(await untilFinished(alpha, task)).toMatchObject({ state: 'cancelled' });
    expect(ok(await alpha.writ('task', 'result', '--patch', task))).toContain('+half\n');
  });

  it('is nothing where nothing has changed, and nothing is stored then', async () => {
    const before = readdirSync(folder(beta, 'content'), { recursive: true });
    const { outcome } = await run(alpha, work('git rev-parse HEAD'));
    expect(outcome).toMatchObject({ state: 'completed' });
    expect(readdirSync(folder(beta, 'content'), { recursive: true })).toEqual(before);
  });

  it('that was changed where it is kept is not taken for what was signed', async () => {
    const task = await finished('echo tampered >> README.md');
    const names = readdirSync(folder(alpha, 'content'), { recursive: true }) as string[];
    const stored = names.map((name) => folder(alpha, 'content', name)).filter((path) => /[0-9a-f]{64}$/.test(path));
    const patch = stored.find((path) => readFileSync(path, 'utf8').includes('+tampered'));
    appendFileSync(patch ?? '', ' ');
    expect(await alpha.writ('verify', task)).toMatchObject({ stderr: expect.stringContaining('EVIDENCE_INVALID') });
    expect(await alpha.writ('apply', task, '--repo', mine)).toMatchObject({
      stderr: expect.stringContaining('EVIDENCE_INVALID'),
    });
    expect(gitIn(mine, 'branch', '--list', `writ/${task}`)).toBe('');
  });
});

describe('what git is told in the shell alone', () => {
  const shellOf = (words: Readonly<Record<string, string | undefined>>) => ({
    environment: { ...mesh.environment, ...words },
    cwd: mine,
  });
  let words: string;
  beforeAll(() => {
    words = join(mesh.dir, 'words');
    writeFileSync(join(mesh.dir, 'ignored'), 'secret.env\n');
    writeFileSync(words, `[core]\n\texcludesFile = ${join(mesh.dir, 'ignored')}\n`);
  });
  const ship = (environment: Readonly<Record<string, string | undefined>>) => {
    const place = ['--peer', 'beta', '--profile', 'repo-dev', '--workspace', 'app', '--ship'];
    const argv = ['--home', alpha.home, 'delegate', ...place, '--', 'sh', '-c', 'cat secret.env || echo not here'];
    return startProgram(argv, shellOf(environment)).ended;
  };

  it('keeps at home what it says to ignore', async () => {
    writeFileSync(join(mine, 'secret.env'), 'KEY=secret\n');
    const excludes = { GIT_CONFIG_KEY_0: 'core.excludesFile', GIT_CONFIG_VALUE_0: join(mesh.dir, 'ignored') };
    const settings = join(mesh.dir, 'settings');
    mkdirSync(join(settings, 'git'), { recursive: true });
    writeFileSync(join(settings, 'git/ignore'), 'secret.env\n');
    try {
      expect((await ship({})).stdout).toContain('KEY=secret');
      for (const environment of [
        { GIT_CONFIG_GLOBAL: words },
        { GIT_CONFIG_COUNT: '1', ...excludes },
        { XDG_CONFIG_HOME: settings },
      ]) {
        expect((await ship(environment)).stdout).toBe('not here\n');
      }
      const elsewhere = await ship({ GIT_INDEX_FILE: join(mesh.dir, 'index') });
      expect(elsewhere).toMatchObject({ code: 2, stderr: expect.stringContaining('env -u GIT_INDEX_FILE') });
    } finally {
      rmSync(join(mine, 'secret.env'));
    }
  }, 60_000);

  it('is the form of what is checked out, and its umask for whom', async () => {
    const task = await finished('echo late > late.txt');
    const [head, before] = [gitIn(mine, 'symbolic-ref', '--short', 'HEAD'), process.umask(0o027)];
    writeFileSync(words, '[core]\n\tautocrlf = true\n');
    const argv = ['--home', alpha.home, 'apply', task, '--checkout'];
    const applying = startProgram(argv, shellOf({ GIT_CONFIG_GLOBAL: words })).ended;
    process.umask(before);
    expect(ok(await applying)).toContain('checked out');
    expect(readFileSync(join(mine, 'late.txt'), 'utf8')).toBe('late\r\n');
    expect((statSync(join(mine, 'late.txt')).mode & 0o777).toString(8)).toBe('640');
    gitIn(mine, 'switch', '--quiet', '--discard-changes', head);
  });
});

describe('a working tree that is sent along', () => {
  it('is what the task works on, with what is not committed, and no folder of it is left', async () => {
    appendFileSync(join(mine, 'README.md'), 'not committed\n');
    writeFileSync(join(mine, 'new.txt'), 'untracked\n');
    const argv = ['sh', '-ec', 'cat README.md new.txt; echo theirs >> new.txt'];
    const place = ['--peer', 'beta', '--profile', 'repo-dev', '--workspace', 'app', '--ship', mine];
    const told = await alpha.writ('--json', 'delegate', ...place, '--', ...argv);
    expect(told).toMatchObject({ code: 0 });
    expect(told.stdout).toContain('untracked');
    // The answer does not wait for what is removed behind it.
    const leftAt = (node: MeshNode) => readdirSync(folder(node, 'git')).filter((name) => name.startsWith('git-'));
    await until('no folder is left', () => (leftAt(beta).length + leftAt(alpha).length === 0 ? true : undefined));
    expect(readdirSync(folder(alpha, 'git'))).toEqual([]);
    expect(gitIn(mine, 'status', '--porcelain')).toBe('M README.md\n?? new.txt');
  });
});
