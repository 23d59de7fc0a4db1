import { describe, expect, it } from 'vitest';
import { isUntil, parseSpan } from './until.ts';

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

  /** After how long a clock on the wall shows each time of day next, found by looking at one minute after the other. */
  function searched({ nowMs, timeZone }: ReturnType<typeof at>): ReadonlyMap<string, number> {
    const wall = new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'short' });
    const firstMs = Math.floor(nowMs / 60_000) * 60_000 + 60_000;
    const minutes = Array.from({ length: 50 * 60 }, (_, minute) => firstMs + minute * 60_000);
    return new Map(minutes.reverse().map((ms) => [wall.format(ms), ms - nowMs]));
  }

  it.each([
    ['Europe/Berlin', 'an hour is left out', Date.UTC(2027, 2, 28, 1)],
    ['Europe/Berlin', 'an hour is repeated', Date.UTC(2027, 9, 31, 1)],
    ['Australia/Lord_Howe', 'half an hour is left out', Date.UTC(2027, 9, 2, 15, 30)],
    ['Australia/Lord_Howe', 'half an hour is repeated', Date.UTC(2027, 3, 3, 15)],
    ['Antarctica/Troll', 'two hours are left out', Date.UTC(2027, 2, 28, 1)],
    ['Antarctica/Troll', 'two hours are repeated', Date.UTC(2027, 9, 31, 1)],
  ])('is in %s, when %s, what looking at each minute finds', (zone, _what, changeMs) => {
    for (const hoursBefore of [30, 5, 1, 0.25, 0, -0.5, -3]) {
      const typed = at(changeMs - hoursBefore * HOUR_MS + 1500, zone);
      const found = searched(typed);
      for (const time of ['00:00', '00:59', '01:45', '02:15', '02:30', '03:00', '12:00', '23:59']) {
        const span = parseSpan(`until ${time}`, typed);
        expect([hoursBefore, time, span]).toEqual([hoursBefore, time, found.get(time)]);
      }
    }
  });
});

describe('a moment at which a span ends', () => {
  it('is told from a length, also where there is no such hour', () => {
    expect(['until 18:00', ' until 25:00', 'until'].map(isUntil)).toEqual([true, true, true]);
    expect(['8h', '', 'untilled', '2h until 18:00'].map(isUntil)).toEqual([false, false, false, false]);
  });
});
