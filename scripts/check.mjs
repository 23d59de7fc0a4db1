/**
 * Everything that can be said about the tree without running it. All steps run, also after a failure; the output of
 * a step is shown only when it failed. `node scripts/check.mjs lint docs` runs the named steps only.
 */
import { availableParallelism } from 'node:os';
import { bin, run } from './lib/run.mjs';

const script = (name, ...args) => [process.execPath, [`scripts/${name}.mjs`, ...args]];
const tool = (name, ...args) => [bin(name), args];

const STEPS = [
  {
    name: 'lint',
    says: 'format, lint, file and function lengths (biome)',
    command: tool('biome', 'ci', '--colors=off', '--error-on-warnings', '.'),
  },
  { name: 'typecheck', says: 'types of the whole tree (tsc)', command: tool('tsc', '--noEmit', '-p', 'tsconfig.json') },
  {
    name: 'boundaries',
    says: 'who imports whom, circles, canary (dependency-cruiser)',
    command: script('check-boundaries'),
  },
  { name: 'bans', says: 'clock, randomness, environment, exemptions, canary', command: script('check-bans') },
  {
    name: 'unused',
    says: 'unused files, exports, dependencies (knip)',
    command: tool('knip', '--no-progress', '--treat-config-hints-as-errors'),
  },
  { name: 'duplicates', says: 'copied code (jscpd)', command: script('check-duplicates') },
  {
    name: 'dependencies',
    says: 'pins, lockfile, licences, docs/dependencies.md (sherif)',
    command: script('check-dependencies'),
  },
  { name: 'proto', says: 'wire contract: lint, breaking changes, canary (buf)', command: script('check-proto') },
  {
    name: 'docs',
    says: 'generated documentation is up to date, links lead somewhere',
    command: script('generate-docs', '--check'),
  },
];

function chosenSteps(names) {
  const unknown = names.filter((name) => !STEPS.some((step) => step.name === name));
  if (unknown.length > 0) {
    console.error(`no step ${unknown.join(', ')}; there are ${STEPS.map(({ name }) => name).join(', ')}`);
    process.exit(2);
  }
  return names.length === 0 ? STEPS : STEPS.filter(({ name }) => names.includes(name));
}

async function runStep({ name, says, command: [program, args] }) {
  const startedAt = performance.now();
  const { status, output } = await run(program, args);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const ok = status === 0;
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${name.padEnd(12)} ${seconds.padStart(5)} s  ${says}`);
  if (!ok) console.log(output.trimEnd().replaceAll(/^/gm, '       '));
  return { name, ok };
}

/** Runs the steps a few at a time, in order of the list. */
async function runAll(steps) {
  const results = [];
  const waiting = [...steps];
  const worker = async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) results.push(await runStep(step));
  };
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, worker));
  return results;
}

const results = await runAll(chosenSteps(process.argv.slice(2)));
const failed = results.filter(({ ok }) => !ok).map(({ name }) => name);
console.log(
  failed.length === 0
    ? `check: all ${results.length} steps passed`
    : `check: ${failed.length} of ${results.length} steps failed: ${failed.join(', ')}`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
