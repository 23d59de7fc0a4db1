/**
 * `npm run chaos [-- kills --count N --seed S]`: kills the nodes of a chain again and again, and says what became of their work.
 * `npm run chaos -- submits --count N`: makes each of N wishes one to five times over a wire that loses and doubles.
 * `npm run chaos -- deciders --count N --processes P`: 64 answers of P (16) processes to each of N questions, all at once.
 * `npm run chaos -- exhaustion --count N`: N fork storms and N full disks under the tasks of one node.
 */
import { parseArgs } from 'node:util';
import { startChainWorld } from './chain-world.ts';
import { runConfined } from './confined.ts';
import { manyDeciders, runDecider } from './deciders.ts';
import { exhaust } from './exhaustion.ts';
import { killLoop } from './kill-loop.ts';
import { manySubmits } from './submits.ts';

const { values, positionals } = parseArgs({
  options: {
    count: { type: 'string' },
    seed: { type: 'string', default: '1' },
    processes: { type: 'string', default: '16' },
  },
  allowPositionals: true,
});
const [what = 'kills', home = ''] = positionals;
const seed = Number(values.seed);
/** Answers to one question. */
const ANSWERS = 64;

async function kills(count: number): Promise<boolean> {
  const world = await startChainWorld();
  try {
    const figures = await killLoop(world, { kills: count, seed, tell: (line) => console.error(line) });
    console.log(JSON.stringify(figures, null, 2));
    return figures.violations.length === 0;
  } finally {
    await world.mesh.close();
  }
}

async function submits(count: number): Promise<boolean> {
  const figures = await manySubmits({ wishes: count, seed });
  console.log(JSON.stringify(figures, null, 2));
  return [figures.tasksAtExecutor, figures.starts, figures.completed].every((number) => number === count);
}

async function deciders(rounds: number): Promise<boolean> {
  const program = process.argv[1] ?? '';
  const processes = Number(values.processes);
  const figures = await manyDeciders({ rounds, processes, each: Math.ceil(ANSWERS / processes), program });
  console.log(JSON.stringify(figures, null, 2));
  return figures.violations.length === 0;
}

async function exhaustion(count: string): Promise<boolean> {
  const figures = await runConfined(process.argv[1] ?? '', ['exhausted', '--count', count]);
  console.log(figures);
  return (JSON.parse(figures) as { readonly violations: readonly string[] }).violations.length === 0;
}

/** Whether what had to hold did. */
async function run(): Promise<boolean> {
  switch (what) {
    case 'submits':
      return submits(Number(values.count ?? 1000));
    case 'deciders':
      return deciders(Number(values.count ?? 100));
    case 'exhaustion':
      return exhaustion(values.count ?? '10');
    case 'exhausted': {
      const figures = await exhaust(Number(values.count ?? 1));
      console.log(JSON.stringify(figures, null, 2));
      return figures.violations.length === 0;
    }
    case 'decider':
      await runDecider(home);
      return true;
    default:
      return kills(Number(values.count ?? 60));
  }
}

if (!(await run())) process.exitCode = 1;
