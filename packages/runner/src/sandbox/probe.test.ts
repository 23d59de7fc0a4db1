import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Executed, probeSandbox } from './probe.ts';
import { createSandbox, describeSandbox } from './sandbox.ts';
import type { SandboxReport } from './types.ts';

let bin: string;
beforeEach(() => {
  bin = mkdtempSync(join(tmpdir(), 'writ-probe-'));
});
afterEach(() => rmSync(bin, { recursive: true }));

const view = { folders: [], links: [], kernel: [] };
const GOOD: Executed = { exitCode: 0, stdout: 'CapEff:\t0000000000000000\nNoNewPrivs:\t1\nSeccomp:\t2\n', said: '' };
const install = (...names: string[]): void => {
  for (const name of names) writeFileSync(join(bin, name), '', { mode: 0o755 });
};

const stepsOf = (report: SandboxReport): string => ('nextSteps' in report ? report.nextSteps.join('\n') : '');

describe('a look at the sandbox of a machine', () => {
  it('finds none where bubblewrap is not installed, or nobody may run it', async () => {
    const probe = (): ReturnType<typeof probeSandbox> =>
      probeSandbox({ view, path: bin, arch: 'x64', execute: async () => GOOD });
    const bare = await probe();
    expect(bare).toMatchObject({ available: false, reason: 'bubblewrap is not installed' });
    expect(stepsOf(bare)).toMatch(/install bubblewrap[\s\S]*isolation = "none"/);
    install('bwrap');
    chmodSync(join(bin, 'bwrap'), 0o644);
    expect(await probe()).toMatchObject({ available: false });
  });

  it.each<[string, Executed]>([
    ['it does not start', { exitCode: 1, stdout: '', said: 'bwrap: No permissions to create new namespace\n' }],
    ['a program inside has capabilities', { ...GOOD, stdout: GOOD.stdout.replace('0\n', '1\n') }],
    ['a program inside can get new ones', { ...GOOD, stdout: GOOD.stdout.replace('NoNewPrivs:\t1', 'NoNewPrivs:\t0') }],
    ['its system calls are not filtered', { ...GOOD, stdout: GOOD.stdout.replace('Seccomp:\t2', 'Seccomp:\t0') }],
    ['it says nothing', { ...GOOD, stdout: '' }],
  ])('finds none where %s', async (_, said) => {
    install('bwrap');
    const report = await probeSandbox({ view, path: bin, arch: 'x64', execute: async () => said });
    expect(report).toMatchObject({ available: false, reason: expect.stringContaining('starts no sandbox here') });
    expect(describeSandbox(report)).toMatch(/^none: /);
    // It is installed: to install it helps nobody.
    expect(stepsOf(report)).not.toContain('install');
    expect(stepsOf(report)).toMatch(/user namespaces[\s\S]*isolation = "none"/);
  });

  it('finds none on a machine whose system calls are not known', async () => {
    install('bwrap');
    const report = await probeSandbox({ view, path: bin, arch: 'riscv64', execute: async () => GOOD });
    expect(report).toMatchObject({ available: false, reason: 'no filter of system calls is known for `riscv64`' });
    expect(stepsOf(report)).not.toContain('install');
  });

  it('says what is missing of the rest', async () => {
    install('bwrap');
    // An older bubblewrap does not know the option.
    const execute = async (argv: readonly string[]): Promise<Executed> =>
      argv.includes('--disable-userns') ? { ...GOOD, exitCode: 1 } : GOOD;
    const bare = await probeSandbox({ view, path: bin, arch: 'x64', execute });
    expect(bare).toMatchObject({ available: true, features: { sealed: false, limits: [] } });
    expect(describeSandbox(bare)).toBe(
      'bubblewrap; programs inside may make namespaces of their own; no network inside (socat is not installed); no limits (prlimit is not installed)',
    );
    install('socat', 'prlimit');
    const whole = await probeSandbox({ view, path: bin, arch: 'x64', execute: async () => GOOD });
    expect(whole).toMatchObject({
      features: { sealed: true, bridge: join(bin, 'socat'), limiter: join(bin, 'prlimit') },
    });
  });

  it('is taken once, and again for whoever asks after there was none', async () => {
    let looks = 0;
    const execute = async (): Promise<Executed> => {
      looks += 1;
      return GOOD;
    };
    const sandbox = createSandbox({ path: bin, arch: 'x64', execute });
    expect((await sandbox.report()).available).toBe(false);
    install('bwrap');
    const reports = await Promise.all([sandbox.report(), sandbox.report(), sandbox.report()]);
    expect(reports.every(({ available }) => available)).toBe(true);
    expect(looks).toBe(1);
  });
});
