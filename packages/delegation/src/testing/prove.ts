import { parseArgs } from 'node:util';
import { createSystemClock } from '@writ/core';
import { proveReplies, proveWaiting } from './question-races.ts';

/**
 * `node scripts/run-ts.mjs packages/delegation/src/testing/prove.ts`: what tests of tasks that wait and tasks that ask try a
 * little, tried very often. Counts are arguments; see docs/figures.md.
 */
const { values } = parseArgs({
  options: {
    waiting: { type: 'string', default: '10000' },
    replies: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
  },
});
const count = (text: string): number => Number.parseInt(text, 10);
const clock = createSystemClock();

/** Says what was tried, and how long it took. */
async function say(prove: () => Promise<string>): Promise<void> {
  const from = clock.monotonicMs();
  const what = await prove();
  console.log(`${((clock.monotonicMs() - from) / 1000).toFixed(1).padStart(7)} s  ${what}`);
}

const seed = count(values.seed);
await say(async () => {
  const ran = await proveWaiting({ schedules: count(values.waiting), seed });
  return `${values.waiting} tasks that waited for a yes, a no or what ended them: one decision each, ${ran} ran`;
});
await say(async () => {
  const won = await proveReplies({ schedules: count(values.replies), seed });
  return `${values.replies} questions with two replies and an end: ${won} replies won, none changed a row after that`;
});
console.log('proved');
