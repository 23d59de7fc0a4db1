import { chmodSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRealFiles } from '../testing/real-files.ts';
import { resolveAction } from './resolve.ts';
import type { ActionEnvironment, ActionRequest, HeldAction } from './types.ts';

describe('an action', () => {
  let dir: string;
  let files: ReturnType<typeof createRealFiles>;
  let request: ActionRequest;
  let environment: ActionEnvironment;
  const held: HeldAction[] = [];
  const write = (name: string, text: string, mode = 0o600): string => {
    writeFileSync(join(dir, name), text);
    chmodSync(join(dir, name), mode);
    return join(dir, name);
  };
  const resolve = async (change: Partial<ActionRequest> = {}, env: Partial<ActionEnvironment> = {}) => {
    const outcome = await resolveAction({ ...request, ...change }, { ...environment, ...env }, files);
    if (outcome.resolved) held.push(outcome.action);
    return outcome;
  };
  const action = async (...args: Parameters<typeof resolve>): Promise<HeldAction> => {
    const outcome = await resolve(...args);
    if (!outcome.resolved) throw new Error(outcome.refusal.message);
    return outcome.action;
  };
  const digest = async (...args: Parameters<typeof resolve>) => (await action(...args)).digest;
  const refusal = async (...args: Parameters<typeof resolve>) => {
    const outcome = await resolve(...args);
    return outcome.resolved ? 'resolved' : outcome.refusal.message;
  };
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'writ-action-'));
    for (const folder of ['bin', 'held', 'work']) mkdirSync(join(dir, folder));
    files = createRealFiles(join(dir, 'held'));
    write('bin/tool', '#!/bin/sh\n', 0o700);
    write('work/script.sh', 'echo one\n');
    request = {
      ...{ origin: 'wn-a', session: 's1', agent: 'agent', argv: ['tool', './script.sh'], cwd: join(dir, 'work') },
      ...{ profile: 'ops', runner: 'shell', network: 'deny', isolation: 'none', inner: [] },
    };
    environment = {
      values: { PATH: join(dir, 'bin'), LANG: 'C', KEY: 'hush' },
      secretNames: new Set(['KEY']),
      sealKey: Buffer.alloc(32, 7),
    };
  });
  afterEach(async () => {
    await Promise.all(held.splice(0).map((one) => one.release()));
    expect(files.held()).toBe(0);
    rmSync(dir, { recursive: true });
  });

  it('has the same digest as long as nothing changes, wherever its parts are held', async () => {
    expect(await digest()).toBe(await digest());
    expect(await digest()).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each<[string, Partial<ActionRequest>]>([
    ['an argument', { argv: ['tool', './script.sh', ''] }],
    ['where an argument ends', { argv: ['tool', './scr', 'ipt.sh'] }],
    ['the standard input', { stdin: '' }],
    ['the profile', { profile: 'dev' }],
    ['the runner', { runner: 'other' }],
    ['the network', { network: 'allow' }],
    ['the hosts', { network: ['deny'] }],
    ['the isolation', { isolation: 'required' }],
    ['the origin', { origin: 'wn-b' }],
    ['the session', { session: 's2' }],
    ['the agent', { agent: 'other' }],
    ['the target', { target: 'self/service/nginx' }],
    ['what is inside it', { inner: [['frob']] }],
  ])('has another digest with another one of %s', async (_, change) => {
    expect(await digest(change)).not.toBe(await digest());
  });

  it.each<[string, () => void]>([
    ['the script', () => write('work/script.sh', 'echo two\n')],
    ['the program', () => write('bin/tool', '#!/bin/bash\n', 0o700)],
    ['a file that was not there', () => write('work/later', '')],
    [
      'the directory, by another of the same name',
      () => {
        renameSync(join(dir, 'work'), join(dir, 'old'));
        mkdirSync(join(dir, 'work'));
        write('work/script.sh', 'echo one\n');
      },
    ],
  ])('has another digest after a change of %s', async (_, change) => {
    const argv = ['tool', './script.sh', 'later'];
    const before = await digest({ argv });
    change();
    expect(await digest({ argv })).not.toBe(before);
  });

  it.each<[string, Record<string, string>]>([
    ['another variable', { GIT_SSH_COMMAND: 'evil' }],
    ['another value', { LANG: 'de' }],
    ['another value of a secret', { KEY: 'hush!' }],
    ['what a program loads', { LD_PRELOAD: './evil.so' }],
  ])('has another digest with %s', async (_, more) => {
    const before = await digest();
    expect(await digest({}, { values: { ...environment.values, ...more } })).not.toBe(before);
  });

  it('is made of what runs its script too, found by name where its first line says so', async () => {
    const own = write('bin/own-sh', 'an interpreter', 0o700);
    const tool = write('bin/tool', '#!/usr/bin/env own-sh\n', 0o700);
    const found = await action();
    expect(found.action.programs.map(({ path }) => path)).toEqual([tool, own]);
    expect([found.interpreters, [...found.held.keys()].includes(own)]).toEqual([[{ path: own }], true]);
    write('bin/own-sh', 'another interpreter', 0o700);
    expect(await digest()).not.toBe(found.digest);
    write('bin/tool', '#!/bin/sh -e -u\n', 0o700);
    expect((await action()).interpreters).toEqual([{ path: '/bin/sh', argument: '-e -u' }]);
  });

  it('finds its program as it would be started', async () => {
    write('work/tool', '#!/bin/sh\nexit 1\n', 0o700);
    write('bin/plain', 'no program');
    expect((await action()).action.programs[0]?.path).toBe(join(dir, 'bin/tool'));
    expect((await action({ argv: ['./tool'] })).action.programs[0]?.path).toBe(join(dir, 'work/tool'));
    expect(await refusal({ argv: ['plain'] })).toContain('no program `plain`');
    expect(await refusal({ argv: ['../work/script.sh'] })).toContain('no program');
    expect(await refusal({ argv: [''] })).toBe('there is no command');
    expect(await refusal({ argv: [] })).toBe('there is no command');
  });

  it('holds the programs and files of commands inside it', async () => {
    const inner = [['tool', 'script.sh'], ['builtin']];
    const { action: bound } = await action({ argv: [join(dir, 'bin/tool'), '-c', 'tool script.sh'], inner });
    expect(bound.programs.map(({ path }) => path)).toEqual([join(dir, 'bin/tool'), '/bin/sh']);
    expect(bound.files.map(({ path }) => path)).toEqual([join(dir, 'work/script.sh')]);
  });

  it.each(['--file=script.sh', '-fscript.sh', '@script.sh'])('holds the file that %s names', async (argument) => {
    const { action: bound } = await action({ argv: ['tool', argument] });
    expect(bound.files.map(({ path }) => path)).toEqual([join(dir, 'work/script.sh')]);
  });

  it('holds what it hashed, whatever becomes of the file', async () => {
    const { held: paths } = await action();
    const script = join(dir, 'work/script.sh');
    write('work/script.sh', 'rm -rf\n');
    expect(readFileSync(paths.get(script) ?? '', 'utf8')).toBe('echo one\n');
  });

  it('stores no secret, and no digest that could be guessed', async () => {
    const { action: bound } = await action();
    expect(JSON.stringify(bound)).not.toContain('hush');
    const sealed = async (sealKey: Buffer) => (await action({}, { sealKey })).action.environment[0];
    expect(await sealed(Buffer.alloc(32, 1))).not.toEqual(await sealed(Buffer.alloc(32, 2)));
  });

  it('needs an absolute directory that is there', async () => {
    for (const cwd of ['.', '', join(dir, 'none'), join(dir, 'work/script.sh')]) {
      expect(await refusal({ cwd })).toContain('is no directory');
    }
  });

  it('lets go of everything where something cannot be held', async () => {
    const broken = {
      ...files,
      hold: async (path: string, most: number) => (path.endsWith('.sh') ? undefined : files.hold(path, most)),
    };
    const outcome = await resolveAction(request, environment, broken);
    expect(outcome).toMatchObject({ resolved: false, refusal: { code: 'BAD_REQUEST' } });
    const failing = {
      ...files,
      hold: async (path: string, most: number) =>
        path.endsWith('.sh') ? Promise.reject(new Error('disk')) : files.hold(path, most),
    };
    await expect(resolveAction(request, environment, failing)).rejects.toThrow('disk');
    expect(files.held()).toBe(0);
  });
});
