import { expect, it } from 'vitest';
import type { CliContext } from './context.ts';
import { lendingOption } from './span.ts';

const NOON_MS = Date.UTC(2027, 0, 15, 12);
const context = {
  clock: { nowMs: () => NOON_MS },
  environment: { timeZone: () => 'UTC' },
} as unknown as CliContext;

it('what is lent until a time ends then, and what is lent for a while lasts so long', () => {
  expect(lendingOption('--for', 'until 18:00', context)).toEqual({ ends_at_ms: NOON_MS + 6 * 3_600_000 });
  expect(lendingOption('--for', '90m', context)).toEqual({ duration: '1h30m' });
  expect(() => lendingOption('--for', 'until 25:00', context)).toThrow('--for: `until 25:00` is no time span');
});
