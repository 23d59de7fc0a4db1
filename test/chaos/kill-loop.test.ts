import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ChainWorld, startChainWorld } from './chain-world.ts';
import { killLoop } from './kill-loop.ts';

/** Three nodes, five phases, four times each; `npm run chaos -- kills --count 200` does more. */
const KILLS = 60;

let world: ChainWorld;
beforeAll(async () => {
  world = await startChainWorld();
}, 120_000);
afterAll(() => world.mesh.close(), 60_000);

it('kill -9 of origin, middle and end at every phase loses no task, doubles none, and leaves no process', async () => {
  const figures = await killLoop(world, { kills: KILLS, seed: 2026, tell: () => undefined });
  expect(figures.violations).toEqual([]);
  expect(figures.tasks).toBe(4 * KILLS);
  // The loop proves nothing where everything was dead before it began.
  expect(figures.states.completed ?? 0).toBeGreaterThan(KILLS / 4);
  expect(figures.executions).toBeGreaterThan(KILLS);
}, 1_200_000);
