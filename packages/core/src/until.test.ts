import { describe, expect, it } from 'vitest';
import { parseSpan } from './until.ts';

const HOUR_MS = 3_600_000;
const BERLIN = 'Europe/Berlin';
/** Noon in Berlin on an ordinary winter day. */
const NOON_MS = Date.UTC(2027, 0, 15, 11);
const at = (nowMs: number, timeZone = BERLIN) => ({ nowMs, timeZone });

describe('a span that a person types', () => {
  it.each([
    ['90m', 1.5 * HOUR_MS],
    [' 8h ', 8 * HOUR_MS],
    ['until 18:00', 6 * HOUR_MS],
    ['until 9:30', 21.5 * HOUR_MS],
    ['until 12:00', 24 * HOUR_MS],
    ['until  12:01', 60_000],
    ['until 11:59', 24 * HOUR_MS - 60_000],
  ])('%s', (text, ms) => {
    expect(parseSpan(text, at(NOON_MS))).toBe(ms);
  });

  it.each([
    '',
    'until',
    'until 24:00',
    'until 18:60',
    'until 1800',
    'tomorrow',
    '0m',
    '-5m',
    '100000d',
    'until 18:00 x',
  ])('%s is none', (text) => {
    expect(parseSpan(text, at(NOON_MS))).toBeUndefined();
  });

  it('counts from the moment, not from its minute', () => {
    expect(parseSpan('until 12:01', at(NOON_MS + 1500))).toBe(58_500);
    expect(parseSpan('until 12:00', at(NOON_MS + 1500))).toBe(24 * HOUR_MS - 1500);
  });

  it('is that of the zone', () => {
    expect(parseSpan('until 18:00', at(NOON_MS, 'UTC'))).toBe(7 * HOUR_MS);
    expect(parseSpan('until 18:00', at(NOON_MS, 'Asia/Kathmandu'))).toBe(1.25 * HOUR_MS);
    expect(() => parseSpan('until 18:00', at(NOON_MS, 'Nowhere/Else'))).toThrow(RangeError);
  });

  it('keeps to the clock on the wall where summer time begins or ends meanwhile', () => {
    const beforeSpring = Date.UTC(2027, 2, 27, 20); // 21:00, the night that is an hour short
    expect(parseSpan('until 6:00', at(beforeSpring))).toBe(8 * HOUR_MS);
    expect(parseSpan('until 2:30', at(beforeSpring))).toBe(28.5 * HOUR_MS);
    const beforeAutumn = Date.UTC(2027, 9, 30, 19); // 21:00, the night that is an hour longer
    expect(parseSpan('until 6:00', at(beforeAutumn))).toBe(10 * HOUR_MS);
    expect(parseSpan('until 2:30', at(beforeAutumn))).toBe(5.5 * HOUR_MS);
  });

  /** The next minute at which a clock on the wall shows that, found by looking at one minute after the other. */
  function searched(hours: number, minutes: number, { nowMs, timeZone }: ReturnType<typeof at>): number | undefined {
    const wall = new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'short' });
    const wanted = `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
    const firstMs = Math.floor(nowMs / 60_000) * 60_000 + 60_000;
    const found = Array.from({ length: 50 * 60 }, (_, minute) => firstMs + minute * 60_000).find(
      (ms) => wall.format(ms) === wanted,
    );
    return found === undefined ? undefined : found - nowMs;
  }

  it.each([
    ['Europe/Berlin', Date.UTC(2027, 2, 28, 1), 'an hour is left out'],
    ['Europe/Berlin', Date.UTC(2027, 9, 31, 1), 'an hour is repeated'],
    ['Australia/Lord_Howe', Date.UTC(2027, 9, 2, 15, 30), 'half an hour is left out'],
    ['Australia/Lord_Howe', Date.UTC(2027, 3, 3, 15), 'half an hour is repeated'],
    ['Antarctica/Troll', Date.UTC(2027, 2, 28, 1), 'two hours are left out'],
    ['Antarctica/Troll', Date.UTC(2027, 9, 31, 1), 'two hours are repeated'],
  ])('is in %s at %d, when %s, what looking at each minute finds', (zone, changeMs) => {
    for (const hoursBefore of [30, 5, 1, 0.25, 0, -0.5, -3]) {
      const typed = at(changeMs - hoursBefore * HOUR_MS + 1500, zone);
      for (const [hours, minutes] of [
        [0, 0],
        [0, 59],
        [1, 45],
        [2, 15],
        [2, 30],
        [3, 0],
        [12, 0],
        [23, 59],
      ] as const) {
        const text = `until ${hours}:${String(minutes).padStart(2, '0')}`;
        expect([hoursBefore, text, parseSpan(text, typed)]).toEqual([
          hoursBefore,
          text,
          searched(hours, minutes, typed),
        ]);
      }
    }
  });
});
