/**
 * `npm run chaos [-- kills --count N --seed S]`: kills the nodes of a chain again and again, and says what became of their work.
 * `npm run chaos -- submits --count N`: makes each of N wishes one to five times over a wire that loses and doubles.
 * `npm run chaos -- deciders --count N --processes P`: 64 answers of P (16) processes to each of N questions, all at once.
 * `npm run chaos -- exhaustion --count N`: N fork storms under the tasks of a node, then as `disks`.
 * `npm run chaos -- disks --count N`: tasks fill the disk of a node's clones, and that of a whole node, N times each.
 */
import { parseArgs } from 'node:util';
import { startChainWorld } from './chain-world.ts';
import { runConfined } from './confined.ts';
import { manyDeciders, runDecider } from './deciders.ts';
import { type ExhaustionFigures, storm } from './exhaustion.ts';
import { fillDisks } from './full-disk.ts';
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
/** Most processes of one user in a storm: in a sandbox, which counts by itself, and beside it. */
const PROCESSES = 200;
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

async function exhaustion(kinds: readonly ('storms' | 'disks')[], count: string): Promise<boolean> {
  let holds = true;
  for (const kind of kinds) {
    const confined = { processes: kind === 'storms' ? PROCESSES : undefined };
    const figures = await runConfined(process.argv[1] ?? '', [`confined-${kind}`, '--count', count], confined);
    console.log(figures);
    holds &&= (JSON.parse(figures) as ExhaustionFigures).violations.length === 0;
  }
  return holds;
}

function told(figures: ExhaustionFigures): boolean {
  console.log(JSON.stringify(figures, null, 2));
  return figures.violations.length === 0;
}

/** Whether what had to hold did. */
async function run(): Promise<boolean> {
  switch (what) {
    case 'submits':
      return submits(Number(values.count ?? 1000));
    case 'deciders':
      return deciders(Number(values.count ?? 100));
    case 'exhaustion':
      return exhaustion(['storms', 'disks'], values.count ?? '10');
    case 'disks':
      return exhaustion(['disks'], values.count ?? '10');
    case 'confined-storms':
      return told(await storm(Number(values.count ?? 1)));
    case 'confined-disks':
      return told(await fillDisks(Number(values.count ?? 1)));
    case 'decider':
      await runDecider(home);
      return true;
    default:
      return kills(Number(values.count ?? 60));
  }
}

if (!(await run())) process.exitCode = 1;
