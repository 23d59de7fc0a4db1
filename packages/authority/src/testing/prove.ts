import { parseArgs } from 'node:util';
import { createSystemClock } from '@writ/core';
import { proveClocks } from './clocks.ts';
import { proveCommands } from './command-races.ts';
import { createGateFixture } from './gate-fixture.ts';
import { proveGone, proveOneWinner, proveSingleUse, proveWrongAnswers } from './races.ts';

/**
 * `node scripts/run-ts.mjs packages/authority/src/testing/prove.ts`: what tests try a little, tried very often. Counts
 * are arguments; see docs/figures.md.
 */
const { values } = parseArgs({
  options: {
    schedules: { type: 'string', default: '10000' },
    crowds: { type: 'string', default: '1000' },
    deciders: { type: 'string', default: '64' },
    uses: { type: 'string', default: '1000' },
    commands: { type: 'string', default: '10000' },
    clocks: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
  },
});
const count = (text: string): number => Number.parseInt(text, 10);
const [schedules, seed, deciders] = [count(values.schedules), count(values.seed), count(values.deciders)];
const clock = createSystemClock();

/** Says what was tried, and how long it took. */
async function say(prove: () => Promise<string> | string): Promise<void> {
  const from = clock.monotonicMs();
  const what = await prove();
  console.log(`${((clock.monotonicMs() - from) / 1000).toFixed(1).padStart(7)} s  ${what}`);
}

async function onOneNode<T>(prove: (at: Awaited<ReturnType<typeof createGateFixture>>) => Promise<T> | T): Promise<T> {
  const at = await createGateFixture();
  try {
    return await prove(at);
  } finally {
    at.close();
  }
}

for (const [many, orders] of [
  [2, schedules],
  [deciders, count(values.crowds)],
] as const) {
  await say(async () => {
    await onOneNode((at) => proveOneWinner(at, { schedules: orders, seed, deciders: many }));
    return `${orders} schedules of ${many} deciders: one winner each, the others told`;
  });
}
await say(async () => {
  await onOneNode((at) => proveGone(at, { schedules, seed }));
  return `${schedules} schedules of a yes, a no and an end: nothing taken after the end`;
});
await say(async () => {
  const claims = await onOneNode((at) => proveSingleUse(at, { rounds: count(values.uses), claimers: deciders }));
  return `${claims} claims of ${values.uses} single uses: one each`;
});
await say(async () => {
  await onOneNode((at) => proveWrongAnswers(at, { schedules, seed }));
  return `${schedules} wrong answers: no row changed`;
});
await say(async () => {
  const started = await proveCommands(createGateFixture, { schedules: count(values.commands), seed });
  return `${started} starts in ${values.commands} courses of two sessions, two answers, two workers and an end: each once, for its own yes or window`;
});
await say(async () => {
  const tried = await proveClocks(createGateFixture, { schedules: count(values.clocks), seed });
  return `${tried} uses under ${values.clocks} courses of the clock: nothing dead lived again`;
});
console.log('proved');
