import { matchesPattern } from '@writ/core';
import { describe, expect, it } from 'vitest';
import { assertCommandAllowed } from './commands.ts';

describe('a command pattern', () => {
  it.each([
    [['npm', 'test'], ['npm', 'test'], true],
    [['npm', 'test', '-x'], ['npm', 'test'], false],
    [['npm'], ['npm', 'test'], false],
    [['git', 'show', 'a'], ['git', 'show', '*'], true],
    [['git', 'show'], ['git', 'show', '*'], false],
    [['git', 'show', 'a', 'b'], ['git', 'show', '*'], false],
    [['git', 'log'], ['git', 'log', '**'], true],
    [['git', 'log', 'a', 'b'], ['git', 'log', '**'], true],
    [['git', '-c', 'x=y', 'log'], ['git', 'log', '**'], false],
    [['a', '**', 'b'], ['a', '**', 'b'], false],
    [['a', 'x'], ['a', 'x*'], false],
    [['a', ''], ['a', '*'], true],
    [[], ['**'], true],
    [['a b'], ['a', 'b'], false],
  ])('%j against %j: %s', (argv, pattern, expected) => {
    expect(matchesPattern(pattern, argv)).toBe(expected);
  });
});

describe('the commands of a profile', () => {
  it('that are none allow nothing', () => {
    expect(() => assertCommandAllowed(['true'], [])).toThrow('the profile allows no commands');
  });

  it('that are `allow` allow anything', () => {
    expect(() => assertCommandAllowed(['rm', '-rf', '/'], 'allow')).not.toThrow();
  });
});
