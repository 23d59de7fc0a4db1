import { describe, expect, it } from 'vitest';
import { matchesPattern } from './command-pattern.ts';

describe('a pattern of a command', () => {
  it.each([
    [
      ['git', 'status'],
      ['git', 'status'],
    ],
    [
      ['git', '*'],
      ['git', 'status'],
    ],
    [
      ['git', '*'],
      ['git', ''],
    ],
    [
      ['*', 'x'],
      ['git', 'x'],
    ],
    [['git', '**'], ['git']],
    [
      ['git', '**'],
      ['git', 'log', '-1', '**'],
    ],
    [
      ['git', '*', '**'],
      ['git', 'log'],
    ],
    [['**'], []],
    [['**'], ['anything', 'at', 'all']],
    [[], []],
  ])('%j matches %j', (pattern, argv) => expect(matchesPattern(pattern, argv)).toBe(true));

  it.each([
    [['git', 'status'], ['git']],
    [['git'], ['git', 'status']],
    [
      ['git', 'status'],
      ['git', 'Status'],
    ],
    [
      ['git', 'status'],
      ['status', 'git'],
    ],
    [['git', '*'], ['git']],
    [
      ['git', '*'],
      ['git', 'log', '-1'],
    ],
    [['git', '**'], []],
    [
      ['git', '**'],
      ['hg', 'log'],
    ],
    [['git', '*', '**'], ['git']],
    [['*'], []],
    [[], ['git']],
  ])('%j does not match %j', (pattern, argv) => expect(matchesPattern(pattern, argv)).toBe(false));

  it('matches nothing where a `**` does not stand at its end, not even itself', () => {
    expect(matchesPattern(['**', 'x'], ['a', 'x'])).toBe(false);
    expect(matchesPattern(['**', 'x'], ['**', 'x'])).toBe(false);
    expect(matchesPattern(['**', '**'], ['**'])).toBe(false);
  });
});
