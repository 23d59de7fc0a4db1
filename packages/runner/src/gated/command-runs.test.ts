import { mkdir, readdir, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHarness, type Harness } from '../testing/harness.ts';
import type { CommandOrder, CommandRun, OutputPiece } from './types.ts';

type Four = [string, string, string, string];
const ID = '01a00000-0000-7000-8000-000000000001';

describe('commands', () => {
  let at: Harness;
  let directory: CommandOrder['directory'];
  let cwd: string;
  beforeEach(async () => {
    at = await createHarness();
    cwd = join(at.folder, 'place');
    await mkdir(cwd);
    const { dev, ino, birthtimeNs } = await stat(cwd, { bigint: true });
    directory = { device: String(dev), inode: String(ino), born: String(birthtimeNs) };
  });
  afterEach(() => at.close());
  const start = (
    argv: readonly string[],
    change: Partial<CommandOrder> = {},
    onOutput = () => {},
  ): Promise<CommandRun> =>
    at.runner.commands.start(
      {
        ...{ id: ID, program: '/bin/sh', argv, cwd, directory, env: { PATH: '/usr/bin:/bin', NAME: 'value' } },
        ...{ timeoutMs: 60_000, maxOutputBytes: 1024 * 1024, ...change },
      },
      onOutput,
    );
  const output = async (): Promise<readonly OutputPiece[]> => {
    const pieces: OutputPiece[] = [];
    for (let next = 0; ; ) {
      const page = await at.runner.commands.readOutput(ID, next);
      if (page.pieces.length === 0) return pieces;
      pieces.push(...page.pieces);
      next = page.next;
    }
  };
  const text = (pieces: readonly OutputPiece[], of: 'stdout' | 'stderr'): string =>
    pieces.map(({ stream, data }) => (stream === of && data ? Buffer.from(data).toString() : '')).join('');

  it('run the given file under the given name, in the given place, with nothing but the given environment', async () => {
    const script = 'echo "$0 $(pwd) $NAME" && cat && env | cut -d= -f1 | sort | tr "\\n" " " >&2';
    const run = await start(['multi-call', '-c', script], { stdin: Buffer.from('typed\n') });
    expect(await run.done).toMatchObject({ ending: { kind: 'exit', exitCode: 0 }, truncated: false });
    const pieces = await output();
    expect(text(pieces, 'stdout')).toBe(`multi-call ${cwd} value\ntyped\n`);
    expect(
      text(pieces, 'stderr')
        .split(' ')
        .filter((name) => !/^(_|SHLVL|OLDPWD|)$/.test(name)),
    ).toEqual(['NAME', 'PATH', 'PWD', 'WRIT_ATTEMPT']);
    expect(pieces.every(({ atMs }) => atMs > 1_700_000_000_000)).toBe(true);
    expect(await readdir(join(at.folder, 'workspaces', 'command-stdin'))).toEqual([]);
  });

  it('find no standard input of an earlier node, which may be secret', async () => {
    const workspaces = join(at.folder, 'earlier');
    for (const place of ['command-stdin', 'stdin']) {
      await mkdir(join(workspaces, place), { recursive: true });
      await writeFile(join(workspaces, place, 'left'), 'secret');
    }
    const names = ['transcripts', 'outputs', 'sockets', 'secrets'] as const;
    const [transcripts, outputs, sockets, secrets] = names.map((name) => join(at.folder, name)) as Four;
    const later = await createHarness({ root: { workspaces, transcripts, outputs, sockets, secrets } });
    try {
      for (const place of ['command-stdin', 'stdin']) {
        await expect(readdir(join(workspaces, place))).rejects.toMatchObject({ code: 'ENOENT' });
      }
    } finally {
      await later.close();
    }
  });

  it('do not start in another directory than the one that was looked at', async () => {
    await rename(cwd, `${cwd}-old`);
    await mkdir(cwd);
    await expect(start(['sh', '-c', 'true'])).rejects.toMatchObject({ code: 'CHANGED_SINCE_APPROVAL' });
    await writeFile(join(at.folder, 'file'), '');
    await expect(start(['sh', '-c', 'true'], { cwd: join(at.folder, 'file') })).rejects.toMatchObject({
      code: 'CHANGED_SINCE_APPROVAL',
    });
  });

  it('do not start in one that was made anew under the same number', async () => {
    const anew = { ...directory, born: String(BigInt(directory.born) - 1n) };
    await expect(start(['sh', '-c', 'true'], { directory: anew })).rejects.toMatchObject({
      code: 'CHANGED_SINCE_APPROVAL',
    });
  });

  it('say what was not started, and why', async () => {
    await expect(start(['gone'], { program: join(cwd, 'gone') })).rejects.toMatchObject({ code: 'WORKER_FAILED' });
    await expect(start(['sh', '\0'])).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });

  it('are ended with everything that they started: when stopped, late, or with the runner', async () => {
    const hold = ['sh', '-c', 'setsid sleep 600 & echo up; exec sleep 600'];
    const up = async (): Promise<CommandRun> => {
      let told: () => void = () => {};
      const isUp = new Promise<void>((resolve) => {
        told = resolve;
      });
      const run = await start(hold, {}, told);
      await isUp;
      return run;
    };
    const stopped = await up();
    stopped.stop({ kind: 'cancel', cause: 'enough' });
    expect((await stopped.done).ending).toEqual({ kind: 'cancel', cause: 'enough' });
    const late = await start(hold, { timeoutMs: 100 });
    expect((await late.done).ending).toEqual({ kind: 'timeout', timeoutMs: 100 });
    const left = await up();
    await at.runner.close();
    expect((await left.done).ending.kind).toBe('cancel');
    expect(at.aliveGit()).toEqual([]);
    await expect(start(['sh'])).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
  });

  it('keep their output up to a limit, in pages, and count the rest', async () => {
    const run = await start(['sh', '-c', 'head -c 300000 /dev/zero; head -c 7 /dev/zero >&2'], {
      maxOutputBytes: 200_000,
    });
    expect(await run.done).toMatchObject({ truncated: true, stdoutBytes: 300_000, stderrBytes: 7 });
    const pieces = await output();
    const kept = pieces.reduce((sum, { data }) => sum + (data?.length ?? 0), 0);
    const dropped = pieces.reduce((sum, { droppedBytes = 0 }) => sum + droppedBytes, 0);
    expect([kept, dropped]).toEqual([200_000, 100_007]);
    await expect(at.runner.commands.readOutput(ID, 1)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    expect(await at.runner.commands.readOutput('never', 0)).toEqual({ pieces: [], next: 0 });
  });

  it('leave their output until nobody knows the command any more', async () => {
    const { signal } = new AbortController();
    const removeOutputs = (isKept: (id: string) => boolean, until = signal): Promise<number> =>
      at.runner.commands.removeOutputs(isKept, until);
    expect(await removeOutputs(() => false)).toBe(0);
    await (await start(['sh', '-c', 'echo one'])).done;
    expect(await removeOutputs((id) => id === ID)).toBe(0);
    expect(text(await output(), 'stdout')).toBe('one\n');
    expect(await removeOutputs(() => false, AbortSignal.abort())).toBe(0);
    expect(await removeOutputs(() => false)).toBe(1);
    expect(await output()).toEqual([]);
  });
});
