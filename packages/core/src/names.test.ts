import { describe, expect, it } from 'vitest';
import { foldName, isSecretFileName } from './names.ts';

describe('foldName', () => {
  it.each([
    ['Repo-Dev', 'repo-dev'],
    ['a', 'a'],
    ['0.x_y-z', '0.x_y-z'],
    ['a'.repeat(64), 'a'.repeat(64)],
  ])('folds %j to %j', (input, folded) => expect(foldName(input)).toBe(folded));

  it.each([
    '',
    ' a',
    'a ',
    'a b',
    '-a',
    '.a',
    '..',
    'a/b',
    'a%2fb',
    'a\0',
    'a\n',
    'dév',
    'ｄev',
    'deν',
    'Kelvin\u212a',
    'a'.repeat(65),
    'x'.repeat(65_536),
  ])('refuses %j', (input) => expect(foldName(input)).toBeUndefined());
});

it('a secret is called as a file is that hides nothing and leads nowhere', () => {
  for (const name of ['token', 'NPM_TOKEN', '_x', 'deploy.key', '0-1', 'a'.repeat(64)]) {
    expect(isSecretFileName(name), name).toBe(true);
  }
  for (const name of ['', '.', '..', '.hidden', '-x', 'a/b', '../a', 'a\0', 'a b', 'a\n', 'dév', 'a'.repeat(65)]) {
    expect(isSecretFileName(name), name).toBe(false);
  }
});
