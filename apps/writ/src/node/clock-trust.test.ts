import { createFakeClock } from '@writ/testkit';
import { expect, it } from 'vitest';
import { createClockTrust } from './clock-trust.ts';

const DAY_MS = 86_400_000;
const START_MS = 1_800_000_000_000;

it('a clock that stepped ahead is believed after a day, in which somebody can see it', () => {
  const clock = createFakeClock(START_MS);
  const isTrusted = createClockTrust(clock, START_MS - 6 * DAY_MS);
  expect(isTrusted()).toBe(true);
  clock.advance(30 * DAY_MS);
  expect(isTrusted()).toBe(true);
  clock.jump(200 * DAY_MS);
  expect(isTrusted()).toBe(false);
  clock.advance(DAY_MS - 1);
  expect(isTrusted()).toBe(false);
  clock.advance(1);
  expect(isTrusted()).toBe(true);
  clock.jump(-200 * DAY_MS);
  expect(isTrusted()).toBe(true);
});

it('a node that starts long after it was last seen waits as well, and a new one does not', () => {
  const clock = createFakeClock(START_MS);
  const isTrusted = createClockTrust(clock, START_MS - 8 * DAY_MS);
  expect(isTrusted()).toBe(false);
  clock.advance(DAY_MS);
  expect(isTrusted()).toBe(true);
  expect(createClockTrust(clock, undefined)()).toBe(true);
});
