import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { proveClocks } from './clocks.ts';
import { proveCommands } from './command-races.ts';
import { createGateFixture, type GateFixture } from './gate-fixture.ts';
import { proveGone, proveOneWinner, proveSingleUse, proveWrongAnswers } from './races.ts';

/** What `prove.ts` tries very often, tried a little. */
describe('authority, whatever comes in whatever order', () => {
  let at: GateFixture;
  beforeEach(async () => {
    at = await createGateFixture();
  });
  afterEach(() => at.close());

  it.each([
    [2, 100],
    [64, 10],
  ])('has one winner of %s deciders', async (deciders, schedules) => {
    await proveOneWinner(at, { deciders, schedules, seed: 1 });
  });

  it('takes no answer for a task that is gone', async () => {
    await proveGone(at, { schedules: 100, seed: 1 });
  });

  it('starts each command once, for its own yes or window, and nothing after the end of what it rests on', async () => {
    expect(await proveCommands(createGateFixture, { schedules: 40, seed: 1 })).toBeGreaterThan(25);
  });

  it('serves a single use once', () => {
    expect(proveSingleUse(at, { rounds: 10, claimers: 64 })).toBe(640);
  });

  it('changes nothing for a wrong answer', () => {
    proveWrongAnswers(at, { schedules: 200, seed: 1 });
  });

  it('lets nothing that has ended live again', async () => {
    expect(await proveClocks(createGateFixture, { schedules: 15, seed: 1 })).toBeGreaterThan(100);
  });
});
