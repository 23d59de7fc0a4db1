import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { checkBinding, unloadable } from './binding.ts';

const here = createRequire(import.meta.url);
const NOT_COPIED = ['build', 'deps', 'src'];

it('is there', () => {
  expect(() => checkBinding()).not.toThrow();
});

it('says in one line what is missing, and what compiles it where it lies', () => {
  const folder = mkdtempSync(join(tmpdir(), 'writ-binding-'));
  try {
    // As npm leaves it where it runs no scripts of packages.
    const copied = (name: string): void =>
      cpSync(dirname(here.resolve(`${name}/package.json`)), join(folder, 'node_modules', name), {
        ...{ recursive: true, filter: (path) => !NOT_COPIED.includes(basename(path)) },
      });
    for (const name of ['better-sqlite3', 'bindings', 'file-uri-to-path']) copied(name);
    const Bare = createRequire(join(folder, 'x.js'))('better-sqlite3') as new (path: string) => unknown;
    const said = thrown(() => new Bare(':memory:'));
    expect(String(said)).toContain('→');
    expect(unloadable(said)).toMatchObject({
      code: 'DATABASE_ERROR',
      message: 'the compiled part of SQLite (better-sqlite3) is not there',
      nextSteps: [expect.stringMatching(/^cd \/\S+ && npm rebuild better-sqlite3 /), 'then: writ doctor'],
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('is told apart from one of another Node.js, and from what is no fault of the loader', () => {
  const other = Object.assign(new Error('compiled against NODE_MODULE_VERSION 108'), { code: 'ERR_DLOPEN_FAILED' });
  expect(unloadable(other)?.message).toBe(
    'the compiled part of SQLite (better-sqlite3) was compiled for another Node.js',
  );
  expect(unloadable(new Error('disk I/O error'))).toBeUndefined();
});

function thrown(make: () => unknown): unknown {
  try {
    return make();
  } catch (error) {
    return error;
  }
}
