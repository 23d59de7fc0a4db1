/** `npm run chaos [-- --kills N --seed S]`: kills the nodes of a chain again and again, and says what became of their work. */
import { parseArgs } from 'node:util';
import { startChainWorld } from './chain-world.ts';
import { killLoop } from './kill-loop.ts';

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '60' }, seed: { type: 'string', default: '1' } },
});
const world = await startChainWorld();
try {
  const figures = await killLoop(world, {
    kills: Number(values.kills),
    seed: Number(values.seed),
    tell: (line) => console.error(line),
  });
  console.log(JSON.stringify(figures, null, 2));
  if (figures.violations.length > 0) process.exitCode = 1;
} finally {
  await world.mesh.close();
}
