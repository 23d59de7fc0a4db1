import { describe, expect, it } from 'vitest';
import { proveReplies, proveWaiting } from './question-races.ts';

/** What `prove.ts` tries very often, tried a little. */
describe('whoever answers, and whatever comes meanwhile', () => {
  it('decides about a waiting task once, and whoever is late is told and changes nothing', async () => {
    expect(await proveWaiting({ schedules: 50, seed: 1 })).toBeGreaterThan(5);
  }, 60_000);

  it('replies to a running task once, and never to what has ended', async () => {
    expect(await proveReplies({ schedules: 50, seed: 1 })).toBeGreaterThan(5);
  }, 60_000);
});
