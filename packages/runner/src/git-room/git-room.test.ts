import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeWith } from '../../../../test/support/require.ts';
import { createHangingGit } from '../testing/hanging-git.ts';
import { createHarness, type Harness } from '../testing/harness.ts';
import type { GitCall, GitRoom } from '../types.ts';

const PATH = '/usr/local/bin:/usr/bin:/bin';

describeWith(['bwrap', 'git'], 'a room for git', () => {
  let harness: Harness;
  let rooms: GitRoom[];
  let [work, own, other] = ['', '', ''];
  beforeEach(async () => {
    harness = await createHarness();
    rooms = [];
    [work, own, other] = ['work', 'own', 'other'].map((name) => join(harness.folder, name)) as [string, string, string];
    for (const folder of [work, own, other]) mkdirSync(folder);
    writeFileSync(join(other, 'secret'), 'of others\n');
    writeFileSync(join(work, 'file'), 'of the task\n');
  });
  afterEach(async () => {
    await Promise.all(rooms.map((room) => room.close()));
    expect(harness.aliveGit()).toEqual([]);
    expect(await harness.leftovers()).toEqual([]);
    await harness.close();
  });

  const open = async (path = PATH): Promise<GitRoom> => {
    const room = await harness.runner.gitRoom({ read: [work], write: [own], path, timeoutMs: 60_000 });
    if (room === undefined) throw new Error('there is no room');
    rooms.push(room);
    return room;
  };
  const ask = (args: readonly string[], more: Partial<GitCall> = {}): GitCall => {
    const env = { PATH, HOME: own, GIT_CONFIG_NOSYSTEM: '1' };
    return { args, cwd: own, env, timeoutMs: 60_000, maxOutputBytes: 1_000_000, ...more };
  };
  /** Whatever git does when it is told to run a program: a setting of a repository of strangers might. */
  const run = async (room: GitRoom, script: string): Promise<string> => {
    const { exitCode, stdout, reason } = await room.git(ask(['-c', `alias.x=!${script}`, 'x']));
    return `${Buffer.from(stdout).toString()}${exitCode === 0 ? '' : reason}`;
  };

  it('makes files as open as each call says', async () => {
    const room = await open();
    const umask = (more: Partial<GitCall>) => room.git(ask(['-c', 'alias.x=!umask; :', 'x'], more));
    const answers = await Promise.all([umask({ umask: 0o027 }), umask({ umask: 0 }), umask({ umask: 0o077 })]);
    expect(answers.map(({ stdout }) => Buffer.from(stdout).toString())).toEqual(['0027\n', '0000\n', '0077\n']);
  });

  it('answers one call after the other, with bytes, status and reason of each', async () => {
    const room = await open();
    const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, at) => (at * 7) % 256));
    const answers = await Promise.all([
      room.git(ask(['init', '-q', '--bare', join(own, "it's\n$HOME")])),
      room.git(ask(['hash-object', '-w', '--stdin'], { cwd: join(own, "it's\n$HOME"), input: bytes })),
      room.git(ask(['hash-object', '--stdin'])),
      room.git(ask(['rev-parse', '--verify', 'absent'], { cwd: join(own, "it's\n$HOME") })),
    ]);
    expect(answers.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 128]);
    expect(answers[3]?.reason).toBe('Needed a single revision');
    const id = Buffer.from(answers[1]?.stdout ?? [])
      .toString()
      .trim();
    const shown = await room.git(ask(['cat-file', 'blob', id], { cwd: join(own, "it's\n$HOME") }));
    expect(Buffer.from(shown.stdout).equals(bytes)).toBe(true);
    expect(Buffer.from(answers[2]?.stdout ?? []).toString()).toBe('e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\n');
  });

  it('tells what git warns of although it succeeds', async () => {
    const room = await open();
    const warned = await room.git(ask(['-c', 'alias.x=!echo "warning: could not look" >&2', 'x']));
    expect(warned).toMatchObject({ exitCode: 0, reason: 'warning: could not look' });
    expect(await room.git(ask(['version']))).toMatchObject({ exitCode: 0, reason: '' });
  });

  it('gives git the environment of each call and nothing of another', async () => {
    const room = await open();
    const seen = async (env: Readonly<Record<string, string>>): Promise<string> => {
      const call = ask(['-c', 'alias.x=!env', 'x'], { env: { PATH, HOME: own, ...env } });
      return Buffer.from((await room.git(call)).stdout).toString();
    };
    expect(await seen({ GIT_AUTHOR_NAME: "a 'b'\nc" })).toContain("GIT_AUTHOR_NAME=a 'b'\nc\n");
    expect(await seen({})).not.toContain('GIT_AUTHOR_NAME');
  });

  it('shows what is looked at read-only, its own folder, and nothing else of the machine', async () => {
    const room = await open();
    expect(await run(room, `cat ${work}/file; echo x > ${own}/x && echo written`)).toBe('of the task\nwritten\n');
    expect(await run(room, `echo x > ${work}/file || echo shut`)).toBe('shut\n');
    expect(await run(room, `cat ${other}/secret || echo shut`)).toBe('shut\n');
    expect(await run(room, 'ls /root /home /run || echo shut')).toBe('shut\n');
    expect(await run(room, 'tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d " "')).toBe('lo\n');
    expect(await run(room, 'grep -E "^(CapEff|NoNewPrivs|Seccomp):" /proc/self/status | cut -f2')).toBe(
      '0000000000000000\n1\n2\n',
    );
    expect(readFileSync(join(work, 'file'), 'utf8')).toBe('of the task\n');
  });

  it('lets git keep no more in memory than a node can spare, whatever it reads', async () => {
    const room = await open();
    const said = await run(room, 'grep "^Max data size" /proc/self/limits | tr -s " " | cut -d" " -f4,5');
    const most = Math.min(2 * 1024 ** 3, Math.floor(totalmem() / 2));
    const [soft, hard] = said.trim().split(' ').map(Number);
    for (const limit of [soft, hard]) expect(limit).toBeLessThanOrEqual(most);
  });

  it('ends with all that it started where a call writes too much or takes too long, and says so', async () => {
    const flood = await open();
    const loud = ask(['-c', 'alias.x=!setsid sh -c "while :; do sleep 0.1; done" & yes', 'x'], {
      maxOutputBytes: 1000,
    });
    expect(await flood.git(loud)).toMatchObject({ exitCode: null, reason: 'it wrote too much' });
    expect(harness.aliveGit()).toEqual([]);
    expect(await flood.git(ask(['version']))).toMatchObject({ exitCode: null, reason: 'its sandbox has ended' });
    const late = ask(['-c', 'alias.x=!sleep 600', 'x'], { timeoutMs: 200 });
    expect(await (await open()).git(late)).toMatchObject({ exitCode: null, reason: 'it took too long' });
    expect(harness.aliveGit()).toEqual([]);
  });

  it('may write exactly as much as it may', async () => {
    const five = (maxOutputBytes: number): GitCall => ask(['-c', 'alias.x=!printf 12345', 'x'], { maxOutputBytes });
    expect(await (await open()).git(five(5))).toMatchObject({ exitCode: 0, stdout: Buffer.from('12345') });
    expect(await (await open()).git(five(4))).toMatchObject({ exitCode: null, reason: 'it wrote too much' });
  });

  it('is ended by a signal, by closing it, and by the end of the runner', async () => {
    const wanted = new AbortController();
    const slow = ask(['-c', 'alias.x=!sleep 600', 'x']);
    const cut = (await open()).git({ ...slow, signal: wanted.signal });
    wanted.abort();
    expect(await cut).toMatchObject({ exitCode: null, reason: 'it is not wanted any more' });
    const room = await open();
    const closed = room.git(slow);
    await room.close();
    expect(await closed).toMatchObject({ exitCode: null });
    const left = (await open()).git(slow);
    await harness.runner.close();
    expect(await left).toMatchObject({ exitCode: null, reason: 'it is not wanted any more' });
  });

  it('hears of an end that comes while the input of a call is written', async () => {
    const wanted = new AbortController();
    const room = await open();
    const hash = ask(['hash-object', '--stdin'], { input: Buffer.from('x'), timeoutMs: 2000 });
    // The call has begun by then, and no file is written in the same tick.
    const nextTick = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));
    const cut = room.git({ ...hash, signal: wanted.signal });
    await nextTick();
    wanted.abort();
    expect(await cut).toMatchObject({ exitCode: null, reason: 'it is not wanted any more' });
    const closed = room.git(hash);
    await nextTick();
    await room.close();
    expect(await closed).toMatchObject({ exitCode: null, reason: 'its sandbox has ended' });
  });

  it('is not there where the sandbox does not show the git that would run', async () => {
    const { bin } = createHangingGit(harness.folder);
    const room = await harness.runner.gitRoom({ read: [], write: [own], path: bin, timeoutMs: 60_000 });
    expect(room).toBeUndefined();
  });

  it('is kept by nobody that git left behind', async () => {
    const room = await open();
    expect(await run(room, 'setsid sh -c "sleep 600 >/dev/null 2>&1 </dev/null &"')).toBe('');
    execFileSync('true');
    await room.close();
    expect(harness.aliveGit()).toEqual([]);
  });
});
