import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSystemClock } from '@writ/core';
import { createGitProcess, type GitCall, type GitPort } from '@writ/evidence';
import { searchPath } from '@writ/runner';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEnvironment } from '../env.ts';
import { createRealRunner, type RealRunner } from '../testing/real-runner.ts';

const path = searchPath(readEnvironment().all.PATH);
let real: RealRunner;
beforeAll(async () => {
  real = await createRealRunner(path);
});
afterAll(() => real.close());

/** What evidence relies on, whichever way git is run. */
describe.each<readonly [string, () => GitPort]>([
  ['a child of this process', () => createGitProcess({ git: 'git', clock: createSystemClock() })],
  ['a child of the spawner', () => real.runner.git],
])('git as %s', (name, port) => {
  const ask = (args: readonly string[], more: Partial<GitCall> = {}) =>
    port()({
      step: 'inspect',
      args,
      cwd: real.folder,
      env: { PATH: path, HOME: real.folder, GIT_CONFIG_NOSYSTEM: '1' },
      ...{ timeoutMs: 60_000, maxOutputBytes: 1_000_000 },
      ...more,
    });
  const textOf = ({ stdout }: { readonly stdout: Uint8Array }): string => Buffer.from(stdout).toString('utf8');
  /** A `git` that is this script. */
  const fake = (script: string): Readonly<Record<string, string>> => {
    const bin = join(real.folder, `bin ${name}`);
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'git'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return { PATH: `${bin}:${path}` };
  };

  it('gives exit code and output, byte for byte', async () => {
    const bytes = Buffer.from([0, 255, 10, 13, 0xc3, 0x28]);
    expect(await ask(['hash-object', '--stdin'], { input: bytes })).toMatchObject({ exitCode: 0, reason: '' });
    const { stdout } = await ask([], { env: fake('exec cat'), input: bytes });
    expect(Buffer.from(stdout).equals(bytes)).toBe(true);
    expect(await ask([], { env: fake('exit 7') })).toMatchObject({ exitCode: 7, reason: 'git ended with 7' });
  });

  it('gets arguments through no shell, in the folder and with the environment that are named', async () => {
    const args = ['a b', '$HOME', '*', '', 'é\n'];
    expect(textOf(await ask(args, { env: fake('printf "[%s]" "$@"') }))).toBe('[a b][$HOME][*][][é\n]');
    expect(textOf(await ask([], { env: fake('pwd'), cwd: '/' }))).toBe('/\n');
    expect(textOf(await ask([], { env: { ...fake('echo "$A$HOME$USER$SSH_AUTH_SOCK"'), A: 'a' } }))).toBe('a\n');
  });

  it('reads a file as its input, and nothing where there is none', async () => {
    const inputFile = join(real.folder, 'input');
    writeFileSync(inputFile, 'x'.repeat(200_000));
    expect(textOf(await ask([], { env: fake('wc -c'), inputFile })).trim()).toBe('200000');
    expect(textOf(await ask([], { env: fake('wc -c') })).trim()).toBe('0');
    expect(textOf(await ask([], { env: fake('wc -c'), input: new Uint8Array() })).trim()).toBe('0');
  });

  it('may leave its input unread', async () => {
    const input = new Uint8Array(1_000_000);
    expect(await ask([], { env: fake('exit 0'), input })).toMatchObject({ exitCode: 0 });
  });

  it('is cut off where it writes too much or takes too long, and says so', async () => {
    expect(await ask([], { env: fake('yes'), maxOutputBytes: 100 })).toMatchObject({
      exitCode: null,
      reason: 'it wrote too much',
    });
    expect(await ask([], { env: fake('sleep 300 & wait'), timeoutMs: 50 })).toMatchObject({
      exitCode: null,
      reason: 'it took too long',
    });
  });

  it('takes an error of git’s for the reason, or else the last line, made visible', async () => {
    const script = 'printf "warning: a\\nerror: \\033[31mb\\nhint: c\\n" >&2; exit 1';
    const told = await ask([], { env: fake(script) });
    expect(told.reason).toMatch(/^[^\p{Cc}]*b$/u);
    expect((await ask([], { env: fake('printf "one\\ntwo\\n\\n" >&2; exit 1') })).reason).toBe('two');
    expect(await ask([], { env: fake('kill -SEGV $$') })).toMatchObject({
      exitCode: null,
      reason: 'git ended with SIGSEGV',
    });
  });

  it('tells what git warns of although it succeeds', async () => {
    const told = await ask([], { env: fake('printf "warning: one\\n\\nwarning: two\\n" >&2') });
    expect(told).toMatchObject({ exitCode: 0, reason: 'warning: one\nwarning: two' });
  });

  it('that cannot be started is an answer, not an error', async () => {
    const failing: readonly Partial<GitCall>[] = [
      { env: { PATH: '/nowhere' } },
      { cwd: '/no/such/folder' },
      { inputFile: '/no/such/file' },
    ];
    for (const more of failing) {
      const answer = await ask(['version'], more);
      expect(answer).toMatchObject({ exitCode: null, reason: expect.stringMatching(/^git could not be started: /) });
      expect(answer.stdout).toHaveLength(0);
    }
  });
});
