import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, formatSize, parseDuration, parseSize } from './units.ts';

describe('parseDuration', () => {
  it.each([
    ['90m', 5_400_000],
    ['8h', 28_800_000],
    ['1h30m', 5_400_000],
    ['250ms', 250],
    ['1d', 86_400_000],
    ['3650d', 315_360_000_000],
    ['1s1s', 2000],
  ])('reads %s', (text, ms) => expect(parseDuration(text)).toBe(ms));

  it.each([
    '',
    '0s',
    '0',
    '5',
    '-5m',
    '5 m',
    '5M',
    'm5',
    '1e3s',
    '100000d',
    '5mm',
    '3650d1ms',
    '1h x',
    'x1h',
    '٣m',
    `${'9'.repeat(400)}s`,
  ])('refuses %j', (text) => expect(parseDuration(text)).toBeUndefined());

  it('reads back what formatDuration writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3650 * 86_400_000 }), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBe(ms);
      }),
      { seed: 2027 },
    );
  });
});

it.each([
  [5_400_000, '1h30m'],
  [86_400_000 + 3_600_000 + 60_000 + 1000 + 1, '1d1h1m1s1ms'],
  [59_999.6, '1m'],
  [0.4, '0s'],
  [0, '0s'],
  [-5, '0s'],
])('formatDuration writes %d ms as %s, the largest units first', (ms, text) => expect(formatDuration(ms)).toBe(text));

describe('parseSize', () => {
  it.each([
    ['8MiB', 8 * 1024 ** 2],
    ['64KiB', 65_536],
    ['100B', 100],
    ['1GiB', 1024 ** 3],
    ['9007199254740991B', Number.MAX_SAFE_INTEGER],
  ])('reads %s', (text, bytes) => expect(parseSize(text)).toBe(bytes));

  it.each(['', '0B', '8MB', '8', 'MiB', '-1B', '1.5MiB', '9007199254740992B', '99999999999GiB'])('refuses %j', (text) =>
    expect(parseSize(text)).toBeUndefined(),
  );
});

describe('formatSize', () => {
  it.each([
    [0, '0B'],
    [1023, '1023B'],
    [8 * 1024 ** 2, '8MiB'],
    [1024, '1KiB'],
    [1536, '1.5KiB'],
    [3 * 1024 ** 3, '3GiB'],
  ])('writes %d', (bytes, text) => expect(formatSize(bytes)).toBe(text));
});
