import { parseArgs } from 'node:util';
import { createSystemClock } from '@writ/core';
import { fuzzCommands, fuzzConfig } from './fuzz.ts';
import { proveOptions } from './option-properties.ts';
import { agreement, PROPERTIES } from './properties.ts';
import { proveReloads } from './reloads.ts';
import { proveShellAgreement } from './shell-agreement.ts';
import { testGrammar } from './shell-grammar.ts';

/**
 * `npm run prove -- policy`: what tests try a little, tried very often. Counts are arguments; see docs/figures.md.
 * `--only WORDS`: only the properties that have these words in their name.
 */
const { values } = parseArgs({
  allowPositionals: true,
  options: {
    requests: { type: 'string', default: '1000000' },
    policies: { type: 'string', default: '100000' },
    reloads: { type: 'string', default: '500' },
    fuzz: { type: 'string', default: '20000' },
    scripts: { type: 'string', default: '20000' },
    options: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '30' },
    only: { type: 'string', default: '' },
  },
});
const count = (text: string): number => Number.parseInt(text, 10);
const seed = count(values.seed);
const clock = createSystemClock();
const now = (): number => clock.monotonicMs();
/** Processor time: what else the machine does is no fault of an input. */
const spentMs = (): number => process.cpuUsage().user / 1000;
const startedAt = now();
const endsAt = startedAt + count(values.minutes) * 60_000;

/** Policies a call: short enough to stop in time, and to keep nothing in memory. */
const BATCH = 1000;

/** Tries `total` policies in batches, each with a seed of its own, until the time is up. */
function inBatches(total: number, requests: number, prove: typeof agreement.prove): number {
  let done = 0;
  for (let batch = 0; done < total && now() < endsAt; batch++) {
    const policies = Math.min(BATCH, total - done);
    prove({ policies, requests, seed: seed + batch });
    done += policies;
  }
  return done;
}

function say(what: string, from: number): void {
  console.log(`${((now() - from) / 1000).toFixed(1).padStart(7)} s  ${what}`);
}

async function main(): Promise<void> {
  const wanted = PROPERTIES.filter(({ name }) => name.includes(values.only));
  if (wanted.length === 0) {
    throw new Error(
      `--only: no property has these words; there are:\n${PROPERTIES.map(({ name }) => name).join('\n')}`,
    );
  }
  if (values.only === '') await proveOnce();
  for (const property of wanted) {
    const from = now();
    const tried = inBatches(count(values.policies), 3, property.prove);
    say(`${tried} policies, ${tried * 3} requests: ${property.name}`, from);
  }
  const isWhole = now() < endsAt;
  console.log(isWhole ? 'proved' : 'the time was up before everything was tried');
  process.exitCode = isWhole ? 0 : 1;
}

/** What is no property of one policy and its requests. */
async function proveOnce(): Promise<void> {
  let from = now();
  const { reloads, decisions } = await proveReloads(count(values.reloads), 8);
  say(`${reloads} reloads, ${decisions} decisions meanwhile: none of an older generation, none mixed`, from);
  from = now();
  const toml = fuzzConfig(count(values.fuzz), seed, spentMs);
  say(`${toml.runs} torn configurations: no crash, slowest ${toml.slowestMs.toFixed(1)} ms`, from);
  from = now();
  const commands = fuzzCommands(await testGrammar(), count(values.fuzz), seed, spentMs);
  say(`${commands.runs} argument lists: no crash, slowest ${commands.slowestMs.toFixed(1)} ms`, from);
  from = now();
  const { scripts, ran } = proveShellAgreement(await testGrammar(), count(values.scripts), seed);
  say(`${scripts} scripts, of which bash and dash ran ${ran}: no command that the grammar did not see`, from);
  from = now();
  const options = proveOptions(await testGrammar(), count(values.options), seed);
  say(`${options} examples with options more, twice or moved: none milder, none unknown without the shell`, from);
  from = now();
  const asked = inBatches(Math.ceil(count(values.requests) / 50), 50, agreement.prove);
  say(`${asked * 50} requests of ${asked} policies: ${agreement.name}`, from);
}

await main();
