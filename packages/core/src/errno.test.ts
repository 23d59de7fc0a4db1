import { stat } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { isAbsent } from './errno.ts';

const errorOf = (code: string): Error => Object.assign(new Error(code), { code });

describe('isAbsent', () => {
  it.each([
    ['a path where nothing is', '/nowhere/at-all'],
    ['a path through a file', '/etc/passwd/x'],
    ['a path that no file can have', '/etc/pass\0wd'],
    ['a name that is too long', `/${'x'.repeat(300)}`],
  ])('is true of %s', async (_, path) => {
    expect(isAbsent(await stat(path).catch((error: unknown) => error))).toBe(true);
  });

  it.each(['EMFILE', 'ENFILE', 'EIO', 'ENOSPC', 'ENOMEM'])('is false of %s, which passes', (code) => {
    expect(isAbsent(errorOf(code))).toBe(false);
  });

  it('is false of what is no error of the system', () => {
    expect([new Error('x'), undefined, 'ENOENT'].map(isAbsent)).toEqual([false, false, false]);
  });
});
