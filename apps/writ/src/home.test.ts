import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Environment } from './env.ts';
import { hasNode, resolveHome } from './home.ts';
import { ownArgv } from './own-script.ts';

const environment = (values: Partial<Environment>): Environment => ({
  all: {},
  writHome: undefined,
  taskAccess: undefined,
  isDumbTerminal: false,
  xdgConfigHome: undefined,
  xdgDataHome: undefined,
  xdgRuntimeDir: undefined,
  homeDir: undefined,
  session: undefined,
  timeZone: () => 'UTC',
  noColor: false,
  logLevel: 'info',
  ...values,
});

describe('the home of a node', () => {
  it('is not where copies of what commands run lie, unless its user has no home: a script finds its project above itself', () => {
    const [first = '', ...more] = resolveHome(environment({ homeDir: '/h', writHome: '/srv/w' })).heldDirs;
    expect(first).toMatch(/^\/h\/\.cache\/writ-held-[0-9a-f]{24}$/);
    expect(more).toEqual(['/srv/w/run/held']);
    expect(resolveHome(environment({ homeDir: '/h', writHome: '/srv/v' })).heldDirs[0]).not.toBe(first);
    expect(resolveHome(environment({ writHome: '/srv/w' })).heldDirs).toEqual(['/srv/w/run/held']);
  });

  it('is one folder with WRIT_HOME, and --home goes before it', () => {
    expect(resolveHome(environment({ writHome: '/a' })).configFile).toBe('/a/writ.toml');
    const home = resolveHome(environment({ writHome: '/a' }), '/b');
    expect(home).toMatchObject({ root: '/b', configFile: '/b/writ.toml', socketFile: '/b/run/control.sock' });
  });

  it('follows the XDG directories without it, and none that some processes of a user lack', () => {
    const all = { XDG_RUNTIME_DIR: '/r' };
    const home = resolveHome(environment({ all, homeDir: '/h', xdgConfigHome: '/c' }));
    expect(home).toMatchObject({
      configFile: '/c/writ/writ.toml',
      databaseFile: '/h/.local/share/writ/db/writ.db',
      socketFile: '/h/.local/share/writ/run/control.sock',
    });
  });

  it('is named for whoever has another environment', () => {
    const named = (values: Partial<Environment>) => ownArgv(resolveHome(environment(values)), ['up'], '/s.js');
    const plain = [process.execPath, '/s.js', 'up'];
    const env = ['/usr/bin/env', '-u', 'WRIT_HOME'];
    expect(named({ homeDir: '/h' })).toEqual([
      ...[...env, 'XDG_CONFIG_HOME=/h/.config', 'XDG_DATA_HOME=/h/.local/share'],
      ...plain,
    ]);
    expect(named({ homeDir: '/h', writHome: '/w' })).toEqual([...plain, '--home', '/w']);
    expect(named({ homeDir: '/h', xdgConfigHome: '/c', xdgDataHome: '/d' })).toEqual([
      ...[...env, 'XDG_CONFIG_HOME=/c', 'XDG_DATA_HOME=/d'],
      ...plain,
    ]);
  });

  it('has a socket that fits a socket address however deep it lies', () => {
    const deep = resolveHome(environment({ writHome: `/${'d'.repeat(200)}` }));
    expect(Buffer.byteLength(deep.socketFile)).toBeLessThan(104);
    const other = resolveHome(environment({ writHome: `/${'e'.repeat(200)}` }));
    expect(other.socketFile).not.toBe(deep.socketFile);
  });

  it('is refused where nothing names one', () => {
    expect(() => resolveHome(environment({}))).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }));
  });

  it('says that a node is there, or not, and fails where that cannot be told', () => {
    const dir = mkdtempSync(join(tmpdir(), 'writ-home-'));
    try {
      writeFileSync(join(dir, 'writ.toml'), '');
      symlinkSync('loop', join(dir, 'loop'));
      expect(hasNode({ configFile: join(dir, 'writ.toml') })).toBe(true);
      expect(hasNode({ configFile: join(dir, 'nothing', 'writ.toml') })).toBe(false);
      expect(() => hasNode({ configFile: join(dir, 'loop', 'writ.toml') })).toThrow('ELOOP');
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});
