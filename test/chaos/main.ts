/**
 * `npm run chaos [-- kills --count N --seed S]`: kills the nodes of a chain again and again, and says what became of their work.
 * `npm run chaos -- submits --count N`: makes each of N wishes one to five times over a wire that loses and doubles.
 */
import { parseArgs } from 'node:util';
import { startChainWorld } from './chain-world.ts';
import { killLoop } from './kill-loop.ts';
import { manySubmits } from './submits.ts';

const { values, positionals } = parseArgs({
  options: { count: { type: 'string' }, seed: { type: 'string', default: '1' } },
  allowPositionals: true,
});
const [what = 'kills'] = positionals;
const seed = Number(values.seed);

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

const held = what === 'submits' ? await submits(Number(values.count ?? 1000)) : await kills(Number(values.count ?? 60));
if (!held) process.exitCode = 1;
