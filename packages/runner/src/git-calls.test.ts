import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHangingGit } from './testing/hanging-git.ts';
import { createHarness, type Harness } from './testing/harness.ts';
import type { GitCall } from './types.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});
afterEach(() => harness.close());

const PATH = '/usr/local/bin:/usr/bin:/bin';
const ask = (args: readonly string[], more: Partial<GitCall> = {}): GitCall => ({
  args,
  cwd: harness.folder,
  env: { PATH, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
  timeoutMs: 60_000,
  maxOutputBytes: 1_000_000,
  ...more,
});
const EMPTY_BLOB = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\n';

/** Marks of the processes of this runner's calls that are alive. */
const alive = (): readonly number[] => harness.aliveGit();

/** A `git` of our own, first in PATH. */
function fake(script: string): Readonly<Record<string, string>> {
  const bin = join(harness.folder, 'fake');
  mkdirSync(bin);
  writeFileSync(join(bin, 'git'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { PATH: `${bin}:${PATH}` };
}

describe('a call of git', () => {
  it('gets the environment that is given, and its own mark alone', async () => {
    const { exitCode, stdout } = await harness.runner.git(ask([], { env: { ...fake('exec env'), A: 'b' } }));
    const names = Buffer.from(stdout)
      .toString()
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0]);
    expect({ exitCode, names: names.sort() }).toEqual({ exitCode: 0, names: ['A', 'PATH', 'PWD', 'WRIT_ATTEMPT'] });
  });

  it('reads what it is given, from memory or from a file, and nothing else', async () => {
    const hash = async (more: Partial<GitCall>): Promise<string> => {
      const { stdout } = await harness.runner.git(ask(['hash-object', '--stdin'], more));
      return Buffer.from(stdout).toString();
    };
    const large = new Uint8Array(3_000_000).fill(97);
    const file = join(harness.folder, 'input');
    writeFileSync(file, large);
    expect(await hash({})).toBe(EMPTY_BLOB);
    expect(await hash({ input: new Uint8Array() })).toBe(EMPTY_BLOB);
    expect(await hash({ input: large })).toBe(await hash({ inputFile: file }));
    expect(await harness.leftovers()).toEqual([]);
  });

  it('makes files as open as it is told, and the next one as open as the node does', async () => {
    const env = fake('umask');
    const masks: string[] = [];
    for (const more of [{ umask: 0o027 }, { umask: 0 }, {}]) {
      masks.push(Buffer.from((await harness.runner.git(ask([], { env, ...more }))).stdout).toString());
    }
    const own = process.umask().toString(8).padStart(4, '0');
    expect(masks).toEqual(['0027\n', '0000\n', `${own}\n`]);
  });

  it('keeps what goes to its standard input from other users', async () => {
    const env = fake('stat -L -c %a /proc/self/fd/0');
    const { stdout } = await harness.runner.git(ask([], { env, input: Buffer.from('x') }));
    expect(Buffer.from(stdout).toString()).toBe('600\n');
  });

  it('is ended with all that it started where it writes too much or takes too long', async () => {
    const env = fake('setsid sh -c "while :; do sleep 0.1; done" & trap "" TERM; yes');
    const flood = await harness.runner.git(ask([], { env, maxOutputBytes: 1000 }));
    expect(flood).toMatchObject({ exitCode: null, reason: 'it wrote too much' });
    expect(flood.stdout.length).toBeLessThanOrEqual(1000);
    expect(alive()).toEqual([]);
    const late = await harness.runner.git(ask([], { env, maxOutputBytes: Number.MAX_SAFE_INTEGER, timeoutMs: 50 }));
    expect(late).toMatchObject({ exitCode: null, reason: 'it took too long' });
    expect(alive()).toEqual([]);
  });

  it('may write exactly as much as it may', async () => {
    const env = fake('printf 12345');
    expect(await harness.runner.git(ask([], { env, maxOutputBytes: 5 }))).toMatchObject({ exitCode: 0, reason: '' });
    expect(await harness.runner.git(ask([], { env, maxOutputBytes: 4 }))).toMatchObject({ exitCode: null });
  });

  it('tells why it failed in one visible line, whatever failed', async () => {
    const failing = await harness.runner.git(ask(['rev-parse', '--verify', 'absent']));
    expect(failing).toMatchObject({ exitCode: 128, reason: expect.stringMatching(/^not a git repository/) });
    const env = fake('printf "error: \\033[1mbad\\n" >&2; exit 3');
    expect(await harness.runner.git(ask([], { env }))).toMatchObject({
      exitCode: 3,
      reason: expect.stringMatching(/^[^\p{Cc}]*bad$/u),
    });
    const starts: readonly Partial<GitCall>[] = [
      { env: { PATH: '/nowhere' } },
      { cwd: '/no/such/folder' },
      { inputFile: '/no/such/file' },
    ];
    for (const more of starts) {
      expect(await harness.runner.git(ask(['version'], more))).toMatchObject({
        exitCode: null,
        reason: expect.stringMatching(/^git could not be started: .*ENOENT/),
      });
    }
  });

  it('does not touch a later call when it is ended, and none is left when the runner closes', async () => {
    const [up, go] = [join(harness.folder, 'first-up'), join(harness.folder, 'first-go')];
    execFileSync('mkfifo', [up, go]);
    const first = harness.runner.git(
      ask([], { env: fake(`echo up > ${up}; read line < ${go}; yes`), maxOutputBytes: 1 }),
    );
    await readFile(up);
    const git = createHangingGit(harness.folder);
    const hanging = harness.runner.git(ask([], { env: { PATH: `${git.bin}:${PATH}` } }));
    await git.started();
    await writeFile(go, 'go\n');
    expect(await first).toMatchObject({ exitCode: null, reason: 'it wrote too much' });
    expect(alive().length).toBeGreaterThanOrEqual(2);
    await harness.runner.close();
    expect(await hanging).toMatchObject({ exitCode: null, reason: 'it is not wanted any more' });
    expect(alive()).toEqual([]);
    expect(await harness.runner.git(ask(['version']))).toMatchObject({ exitCode: null });
  });

  it('is found after a crash of the node, by a runner with the same folders', async () => {
    const git = createHangingGit(harness.folder);
    const hanging = harness.runner.git(ask([], { env: { PATH: `${git.bin}:${PATH}` } }));
    await git.started();
    expect(await harness.runner.endStray([])).toBeGreaterThanOrEqual(2);
    expect(alive()).toEqual([]);
    expect(await hanging).toMatchObject({ exitCode: null });
  });
});
