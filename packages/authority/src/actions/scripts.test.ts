import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRealFiles } from '../testing/real-files.ts';
import { resolveAction } from './resolve.ts';
import { runsRelative } from './script-operand.ts';
import type { ActionRequest } from './types.ts';

describe('what an interpreter runs', () => {
  let dir: string;
  const write = (name: string, text: string): string => {
    const path = join(dir, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    chmodSync(path, 0o700);
    return path;
  };
  const resolve = async (argv: readonly string[], inner: readonly (readonly string[])[] = [argv]) => {
    const request: ActionRequest = {
      ...{ origin: 'wn-a', session: 's1', agent: 'agent', argv, cwd: join(dir, 'work'), profile: 'ops' },
      ...{ runner: 'shell', network: 'deny', isolation: 'none', inner },
    };
    const environment = {
      values: { PATH: join(dir, 'bin') },
      secretNames: new Set<string>(),
      sealKey: Buffer.alloc(32, 7),
    };
    const outcome = await resolveAction(request, environment, createRealFiles(join(dir, 'held')));
    if (!outcome.resolved) return { refusal: outcome.refusal.message };
    const { digest, script, interpreters, action } = outcome.action;
    return { digest, script, interpreters, files: action.files.map(({ path }) => path) };
  };

  beforeEach(() => {
    dir = realpathSync(mkdtempSync(join(tmpdir(), 'writ-scripts-')));
    for (const folder of ['held', 'work']) mkdirSync(join(dir, folder));
    for (const name of ['sh', 'bash', 'node', 'python3', 'perl', 'ruby', 'php', 'lua', 'env', 'make']) {
      write(`bin/${name}`, 'no script');
    }
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  it.each<[readonly string[], string, number]>([
    [['bash', './run'], 'work/run', 1],
    [['bash', '-x', '-o', 'pipefail', 'run'], 'work/run', 4],
    [['python3', '-u', '-W', 'error', '--', 'run'], 'work/run', 5],
    [['python3', '-IO', 'run', 'other'], 'work/run', 2],
    [['node', '--no-warnings', '--max-old-space-size=64', 'run'], 'work/run', 3],
    [['node', 'deploy'], 'work/deploy.js', 1],
    [['node', './tool'], 'work/tool/index.js', 1],
    [['python3', 'package'], 'work/package/__main__.py', 1],
    [['bash', 'of-path'], 'bin/of-path', 1],
    [['perl', '-w', 'run'], 'work/run', 2],
  ])('%j is bound by content, under whatever name it is found', async (argv, file, at) => {
    write('work/run', 'one');
    for (const name of ['work/deploy.js', 'work/tool/index.js', 'work/package/__main__.py', 'bin/of-path']) {
      write(name, 'one');
    }
    const before = await resolve(argv);
    expect(before).toMatchObject({ script: { at, path: join(dir, file) }, files: [join(dir, file)] });
    write(file, 'two');
    expect((await resolve(argv)).digest).not.toBe(before.digest);
  });

  it.each<[readonly string[]]>([
    [['bash', 'none']],
    [['bash', './none']],
    [['bash', 'folder']],
    [['node', 'none']],
    [['node', 'module']],
    [['node', '--title', 'run', 'module']],
    [['node', '-r', './hook', 'run']],
    [['node', '--import=hook', 'run']],
    [['node', '--test']],
    [['node', '--run', 'build']],
    [['python3', '-m', 'module']],
    [['python3', '-um', 'module']],
    [['python3', 'folder']],
    [['perl', '-Ilib', 'run']],
    [['ruby', '-rhook', 'run']],
    [['php', '-S', 'localhost:0']],
    [['lua', 'folder']],
    [['env', '-S', 'bash run']],
    [['env', '-u', 'A', '-iSbash run']],
    [['env', '--split-string=bash run']],
  ])('%j is refused: nobody can say which file that is', async (argv) => {
    for (const name of [
      'work/run',
      'work/hook.js',
      'work/module/package.json',
      'work/module/index.js',
      'work/module.py',
    ]) {
      write(name, 'one');
    }
    mkdirSync(join(dir, 'work/folder'));
    expect((await resolve(argv)).refusal).toMatch(/cannot be told|would look for it/);
  });

  it.each<[readonly string[]]>([
    [['sh', '-ec', 'exit 1', 'none']],
    [['python3', '-c', 'print(1)', '-m', 'none']],
    [['node', '-pe', '1']],
    [['node', '--eval=1', 'none']],
    [['perl', '-pi', '-e', 's/a/b/', 'none']],
    [['node', '--version']],
    [['bash', '-s', 'none']],
    [['python3', '-']],
    [['env', '-u', 'S', 'A=1']],
  ])('%j runs no file', async (argv) => {
    expect(await resolve(argv)).toMatchObject({ script: undefined, files: [] });
  });

  it('is looked at in commands inside others too', async () => {
    const file = write('work/deploy.js', 'one');
    const before = await resolve(['env', 'A=1', 'node', 'deploy'], [['node', 'deploy']]);
    expect(before).toMatchObject({ script: undefined, files: [file] });
    write('work/deploy.js', 'two');
    expect((await resolve(['env', 'A=1', 'node', 'deploy'], [['node', 'deploy']])).digest).not.toBe(before.digest);
    expect((await resolve(['env', 'python3', '-m', 'x'], [['python3', '-m', 'x']])).refusal).toContain('`-m`');
  });

  it('is the file that a link leads to, and not what the letters of a path say', async () => {
    write('work/run', 'by its letters');
    const real = write('other/run', 'by the link');
    mkdirSync(join(dir, 'other/in'));
    symlinkSync(join(dir, 'other/in'), join(dir, 'work/link'));
    const before = await resolve(['bash', 'link/../run']);
    write('work/run', 'changed');
    expect((await resolve(['bash', 'link/../run'])).digest).toBe(before.digest);
    writeFileSync(real, 'changed');
    expect((await resolve(['bash', 'link/../run'])).digest).not.toBe(before.digest);
  });

  it('follows a first line that names a script, to the program that runs it', async () => {
    const shell = write('bin/own-sh', 'an interpreter');
    const second = write('work/second', `#!${shell} -e\n`);
    const first = write('work/first', `#!${second}\n`);
    write('work/nest', `#!${first} -x\n`);
    const before = await resolve(['./nest']);
    expect(before.interpreters).toEqual([
      { path: first, argument: '-x' },
      { path: second },
      { path: shell, argument: '-e' },
    ]);
    write('work/second', `#!${shell} -x\n`);
    expect((await resolve(['./nest'])).digest).not.toBe(before.digest);
    write('work/second', `#!${second}\n`);
    expect((await resolve(['./nest'])).refusal).toContain('too many scripts');
    write('work/nest', `#!${join(dir, 'bin/env')} -S own-sh -x\n`);
    expect((await resolve(['./nest'])).refusal).toContain('cannot be told by its first line');
  });

  it('is the makefile of the folder, where make names none', async () => {
    const file = write('work/Makefile', 'all:');
    const before = await resolve(['make', 'all']);
    expect(before.files).toEqual([file]);
    write('work/Makefile', 'all: x');
    expect((await resolve(['make', 'all'])).digest).not.toBe(before.digest);
    expect((await resolve(['make', 'all'])).files).toEqual([file]);
    const preferred = write('work/GNUmakefile', '');
    expect((await resolve(['make', 'all'])).files).toEqual([preferred]);
    rmSync(join(dir, 'work/Makefile'));
    rmSync(preferred);
    expect((await resolve(['make', 'all'])).files).toEqual([]);
  });

  it.each<[readonly string[], readonly string[]]>([
    [
      ['make', '-C', 'sub'],
      ['work/Makefile', 'work/sub/Makefile'],
    ],
    [
      ['make', '-Csub'],
      ['work/Makefile', 'work/sub/Makefile'],
    ],
    [
      ['make', '--directory', 'sub'],
      ['work/Makefile', 'work/sub/Makefile'],
    ],
    [
      ['make', '--directory=sub'],
      ['work/Makefile', 'work/sub/Makefile'],
    ],
    [
      ['make', '-C', 'sub', '-C', 'in'],
      ['work/Makefile', 'work/sub/Makefile', 'work/sub/in/Makefile'],
    ],
    [['make', '-C', 'none'], ['work/Makefile']],
    [['make', '-C'], ['work/Makefile']],
    [['make', '--directory-x', 'sub'], ['work/Makefile']],
    [['make', 'x-C', 'x--directory=sub'], ['work/Makefile']],
  ])('%j is bound by the makefiles of all folders that it goes through', async (argv, files) => {
    for (const name of ['work/Makefile', 'work/sub/Makefile', 'work/sub/in/Makefile']) write(name, 'all:');
    expect((await resolve(argv)).files).toEqual(files.map((name) => join(dir, name)));
  });

  it('is bound where another program may hand it on, as far as it is there', async () => {
    write('bin/xargs', 'no script');
    const [file, made] = [write('work/run', 'one'), write('work/Makefile', 'all:')];
    expect((await resolve(['xargs', 'bash', 'run'])).files).toEqual([file]);
    expect((await resolve(['xargs', '-n', '1', 'make'])).files).toEqual([made]);
    expect((await resolve(['xargs', 'bash', 'none'])).files).toEqual([]);
    expect((await resolve(['xargs', 'cat', 'runs'])).files).toEqual([]);
    rmSync(join(dir, 'bin/bash'));
    expect((await resolve(['xargs', 'bash', 'Makefile'])).files).toEqual([made]);
  });

  it('is what a link to a shell, under whatever name, runs', async () => {
    symlinkSync(join(dir, 'bin/bash'), join(dir, 'bin/tool'));
    const file = write('work/run', 'one');
    expect(await resolve(['tool', '-x', 'run'])).toMatchObject({ script: { at: 2, path: file } });
    expect(await resolve(['make', 'run'])).toMatchObject({ script: undefined });
  });

  it('is a module besides where it is named as a file, and the text that runs is then no file', async () => {
    const [hook, env] = [write('work/hook.js', 'one'), write('work/vars', 'A=1')];
    expect(await resolve(['node', '-r', './hook.js', '-e', '1'])).toMatchObject({ script: undefined, files: [hook] });
    expect(await resolve(['node', '--env-file', 'vars', '-e', '1'])).toMatchObject({ files: [env] });
    expect((await resolve(['node', '-r', './none.js', '-e', '1'])).refusal).toContain('`./none.js` is no file');
    expect((await resolve(['node', '-r', 'hook.js', '-e', '1'])).refusal).toContain('`hook.js` is no file');
  });

  it('is no file that a shell would look for before it looks beside it, nor a folder with a slash behind it', async () => {
    for (const name of ['work/run', 'work/deploy.js']) write(name, 'one');
    expect((await resolve(['bash', '-c', 'source run'], [['source', 'run']])).refusal).toContain('cannot be told');
    expect((await resolve(['bash', '-c', 'source ./run'], [['source', './run']])).files).toContain(
      join(dir, 'work/run'),
    );
    expect((await resolve(['node', 'deploy/'])).refusal).toContain('cannot be told');
    expect((await resolve(['node', './deploy'])).files).toEqual([join(dir, 'work/deploy.js')]);
  });
});

it.each<[readonly string[], boolean]>([
  [['bash', 's.sh'], true],
  [['./s.sh'], true],
  [['node', '-r', './hook.js', '/srv/a.js'], true],
  [['bash', '/srv/s.sh'], false],
  [['bash', '-c', './s.sh'], false],
  [['systemctl', 'restart', 'nginx'], false],
])('which file %j runs depends on the folder: %s', (argv, isRelative) => {
  expect(runsRelative(argv)).toBe(isRelative);
});
