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
  ])('reads %s', (text, ms) => expect(parseDuration(text)).toBe(ms));

  it.each(['', '0s', '0', '5', '-5m', '5 m', '5M', 'm5', '1e3s', '100000d', '5mm', '٣m', `${'9'.repeat(400)}s`])(
    'refuses %j',
    (text) => expect(parseDuration(text)).toBeUndefined(),
  );

  it('reads back what formatDuration writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3650 * 86_400_000 }), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBe(ms);
      }),
    );
  });
});

describe('parseSize', () => {
  it.each([
    ['8MiB', 8 * 1024 ** 2],
    ['64KiB', 65_536],
    ['100B', 100],
  ])('reads %s', (text, bytes) => expect(parseSize(text)).toBe(bytes));

  it.each(['', '0B', '8MB', '8', 'MiB', '-1B', '1.5MiB', '99999999999GiB'])('refuses %j', (text) =>
    expect(parseSize(text)).toBeUndefined(),
  );
});

describe('formatSize', () => {
  it.each([
    [0, '0B'],
    [1023, '1023B'],
    [8 * 1024 ** 2, '8MiB'],
    [1536, '1.5KiB'],
  ])('writes %d', (bytes, text) => expect(formatSize(bytes)).toBe(text));
});
