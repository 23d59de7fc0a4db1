import { describe, expect, it } from 'vitest';
import { namedPaths } from './named-paths.ts';
import { findInterpreter, findProgram, pathOf, type Search } from './search.ts';
import type { ActionFiles, PathFact } from './types.ts';

/** Files that are there: `!` behind a path is executable, `/` a folder. */
function filesOf(...names: string[]): ActionFiles {
  const facts = new Map<string, PathFact>();
  for (const name of names) {
    const path = name.replace(/[!/]$/, '');
    const kind = name.endsWith('/') ? 'directory' : 'file';
    const isExecutable = !/[^!/]$/.test(name);
    facts.set(path, { kind, realPath: path, device: '1', inode: path, born: '0', sizeBytes: 1, isExecutable });
  }
  return {
    inspect: async (path) => facts.get(path),
    hold: async () => undefined,
  };
}
const search = (...names: string[]): Search => ({ cwd: '/w', path: '/a:/b', files: filesOf(...names) });

describe('the path that a text means', () => {
  it.each([
    ['a', '/w/a'],
    ['./a', '/w/a'],
    ['.//a', '/w/a'],
    ['../a', '/a'],
    ['.././../a', '/a'],
    ['..', '/'],
    ['.', '/w'],
    ['./..', '/'],
    ['', '/w'],
    ['a/b/', '/w/a/b'],
    ['/x/./y//z', '/x/y/z'],
    // What links may lead elsewhere stays for the kernel.
    ['a/../b', '/w/a/../b'],
    ['a/..', '/w/a/..'],
    ['a..b', '/w/a..b'],
    ['/a/..b', '/a/..b'],
    ['..a', '/w/..a'],
  ])('%j is %s', (text, path) => {
    expect(pathOf('/w', text)).toBe(path);
  });
});

describe('the program that a name means', () => {
  it('is the first in PATH that is a file and can be run', async () => {
    expect(await findProgram('x', search('/a/x', '/b/x!'))).toBe('/b/x');
    expect(await findProgram('x', search('/a/x/', '/b/x!'))).toBe('/b/x');
    expect(await findProgram('x', search('/a/x!', '/b/x!'))).toBe('/a/x');
    expect(await findProgram('x', search('/w/x!', '/c/x!'))).toBeUndefined();
    expect(await findProgram('', search('/a!', '/a/!'))).toBeUndefined();
  });

  it('is a path where it has a slash, and is looked for in a relative part of PATH from the folder', async () => {
    expect(await findProgram('./x', search('/w/x!', '/a/x!'))).toBe('/w/x');
    expect(await findProgram('sub/x', search('/a/sub/x!'))).toBeUndefined();
    expect(await findProgram('/a/x', search('/a/x!'))).toBe('/a/x');
    expect(await findProgram('x', { ...search('/w/x!', '/w/s/x!'), path: 's' })).toBe('/w/s/x');
    expect(await findProgram('x', { ...search('/w/x!'), path: '' })).toBe('/w/x');
  });
});

describe('what runs a script', () => {
  it('is nothing where its first line names nothing, and else what that names', async () => {
    expect(await findInterpreter(undefined, search())).toEqual({ found: true });
    const named = { path: '/bin/sh', argument: '-e' };
    expect(await findInterpreter(named, search())).toEqual({ found: true, interpreter: named });
  });

  it('is what `env` would find, and unknown where more than a name stands behind that', async () => {
    const env = (argument?: string) =>
      findInterpreter(
        { path: '/usr/bin/env', ...(argument === undefined ? {} : { argument }) },
        search('/a/own.sh-1+x!'),
      );
    expect(await env('own.sh-1+x')).toEqual({ found: true, interpreter: { path: '/a/own.sh-1+x' } });
    expect(await env('none')).toEqual({ found: true });
    for (const argument of ['-S own', '-own', 'own -x', './own', 'A=1', '', undefined]) {
      expect(await env(argument)).toEqual({ found: false, path: '/usr/bin/env' });
    }
  });
});

describe('the files that arguments name', () => {
  const named = async (lists: string[][], ...names: string[]) =>
    (await namedPaths(lists, '/w', filesOf(...names))).files;

  it('are each once, in order of path, of every list, without its program', async () => {
    expect(
      await named(
        [
          ['tool', 'b', 'a', './a', '/w/b'],
          ['x', 'c'],
        ],
        '/w/a',
        '/w/b',
        '/w/c',
        '/w/tool',
        '/w/x',
      ),
    ).toEqual([...['/w/a', '/w/b', '/w/c']]);
  });

  it('stand behind the first `=`, an `@` in front or the letter of a short option', async () => {
    const files = ['/w/a', '/w/b=c', '/w/@d', '/w/e'];
    expect(await named([['t', '--x=a', '--y=b=c', '@@d', '-fe']], ...files)).toEqual([
      '/w/@d',
      '/w/a',
      '/w/b=c',
      '/w/e',
    ]);
    expect(await named([['t', 'x@a', '-', '-f', '--fa', '-1a', '=', '@', '']], ...files, '/w/f', '/w')).toEqual([]);
  });

  it('are no folders, nothing that is not there, and nothing that can be no path', async () => {
    expect(await named([['t', 'dir', 'none', 'a\0b']], '/w/dir/', '/w/a\0b')).toEqual([]);
    const [longest, longer] = ['a'.repeat(4096), 'b'.repeat(4097)];
    expect(await named([['t', longest, longer]], `/w/${longest}`, `/w/${longer}`)).toEqual([`/w/${longest}`]);
  });
});
