import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createSystemClock, silentLogger } from '@writ/core';
import { compileConfig, stockConfig } from '@writ/policy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runWrit } from '../cli/testing/fake-node.ts';
import { readEnvironment } from '../env.ts';
import { type Home, resolveHome } from '../home.ts';
import { initNode } from '../lifecycle/init-node.ts';
import { createClosers } from './closers.ts';
import { openFoundations } from './foundations.ts';
import { createPolicyCompiler } from './policy-compiler.ts';
import { lookAtPlaces, withWorkspacePlaces, workspacePlaces } from './workspace-place.ts';

let root: string;
let home: Home;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'wn-')));
  home = resolveHome(readEnvironment(), join(root, 'home'));
  mkdirSync(home.keysDir, { recursive: true, mode: 0o700 });
});
afterEach(() => rmSync(root, { recursive: true }));

const textOf = (path: string): string =>
  stockConfig({ nodeName: 'solo', workspaces: [{ name: 'app', path }], isolation: 'none' });

describe('where a workspace may be', () => {
  it('is neither the whole file system, nor the home or what holds it, however it is written', () => {
    const whyNot = workspacePlaces(home);
    for (const path of ['/', '//', '/x/..']) expect(whyNot(path)).toContain('is the whole file system');
    for (const path of ['~', '~/', '~/x/..', homedir(), `${homedir()}/`])
      expect(whyNot(path)).toContain('is your home');
    const above = dirname(homedir());
    expect(whyNot(above)).toContain(above === '/' ? 'is the whole file system' : 'is your home, or above it');
    symlinkSync('/', join(root, 'all'));
    expect(whyNot(join(root, 'all'))).toContain('is the whole file system');
    expect(whyNot(join(root, 'all'))).toMatch(/: name the folder of one repository$/);
  });

  it('is not around what is the node’s own, nor in it', () => {
    const whyNot = workspacePlaces(home);
    for (const path of [root, home.root, `${home.root}/`])
      expect(whyNot(path)).toContain('holds what is the node’s own');
    for (const path of [home.keysDir, join(home.workspacesDir, 'x'), dirname(home.databaseFile)]) {
      expect(whyNot(path)).toMatch(/holds what is the node’s own|is in a folder of the node’s own/);
    }
    symlinkSync(home.keysDir, join(root, 'keys'));
    expect(whyNot(join(root, 'keys'))).toContain('node’s own');
    const apart = resolveHome({ ...readEnvironment(), writHome: undefined, xdgConfigHome: root, xdgDataHome: root });
    expect(workspacePlaces(apart)(join(root, 'writ'))).toContain('node’s own');
  });

  it('is any other folder, also beside the node’s own in its home', () => {
    const whyNot = workspacePlaces(home);
    const others = [`${root}/home2`, join(home.root, 'app'), '~/src/app', '/srv/app', `${home.keysDir}2`];
    expect(others.map(whyNot)).toEqual(others.map(() => undefined));
  });

  it('is looked at wherever a configuration is loaded, and told with its line', async () => {
    const onMachine = (compiled: ReturnType<typeof compileConfig>) => lookAtPlaces(compiled, home);
    const script = new URL('file:///no/such/thread.mjs');
    const compiler = createPolicyCompiler({ script, clock: createSystemClock(), onMachine });
    expect(await compiler.compile(textOf('/srv/app'))).toMatchObject({ ok: true });
    expect(await compiler.compile(textOf('/'))).toMatchObject({
      ok: false,
      violations: [{ code: 'BAD_VALUE', path: 'workspaces.app.path', position: { line: expect.any(Number) } }],
    });
    expect(await compiler.compile('schema = 2')).toMatchObject({ ok: false });
    await compiler.close();
  });

  it('is looked at one after the other, so that others have their turn', async () => {
    const names = [...Array(50).keys()];
    const workspaces = names.map((n) => ({ name: `w${n}`, path: n === 49 ? '/' : `/srv/w${n}` }));
    const text = stockConfig({ nodeName: 'solo', workspaces, isolation: 'none' });
    const compiled = compileConfig(text);
    let looks = 0;
    const looking = lookAtPlaces(compiled, home);
    let step = looking.next();
    for (; step.done !== true; step = looking.next()) looks += 1;
    expect(looks).toBe(50);
    expect(step.value).toEqual(withWorkspacePlaces(compiled, home));
    // A clock that moves on by a whole slice whenever it is asked.
    let [nowMs, turns, isOver] = [0, 0, false];
    const turn = (): void => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    const compiler = createPolicyCompiler({
      script: new URL('file:///no/such/thread.mjs'),
      clock: { monotonicMs: () => nowMs++ },
      onMachine: (result) => lookAtPlaces(result, home),
    });
    setImmediate(turn);
    expect(await compiler.compile(text)).toMatchObject({ violations: [{ path: 'workspaces.w49.path' }] });
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(50);
    await compiler.close();
  });

  it('is said by the command line, and kept by init and by a node that starts', async () => {
    writeFileSync(home.configFile, textOf('/'), { mode: 0o600 });
    const told = await runWrit(home.root, ['policy', 'validate']);
    expect(told.code).toBe(2);
    expect(told.out + told.err).toContain('`/` is the whole file system: name the folder of one repository');
    const other = resolveHome(readEnvironment(), join(root, 'other'));
    await expect(
      initNode(other, { name: 'solo', workspaces: [{ name: 'app', path: '~' }], isolation: 'none' }),
    ).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('workspace `app`: `~` is your home, or above it'),
    });
    await initNode(other, { name: 'solo', workspaces: [], isolation: 'none' });
    writeFileSync(other.configFile, textOf('~'));
    const closers = createClosers();
    await expect(openFoundations(other, silentLogger, closers)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await closers.close(0);
  });
});
