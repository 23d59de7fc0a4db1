import { equal, ok } from 'node:assert/strict';
import { nextTurn } from '@writ/core';
import { createPolicyEngine } from '../engine.ts';
import type { PolicyEngine } from '../types.ts';
import { BASE, requestFrom } from './fixtures.ts';
import { fixedClock, SELF_ID } from './testing.ts';

/** Two texts that decide the same request differently, so that a mixed decision would show. */
const SHUT = BASE.replace('profiles = ["query", "repo-dev", "system-change"]', 'profiles = ["repo-dev"]');

/** Counts of what was seen. */
export interface ReloadProof {
  readonly reloads: number;
  readonly decisions: number;
}

/** Lets everything run that is ready to, some turns of it, and a reload get on with its next slice. */
async function others(): Promise<void> {
  for (let turn = 0; turn < 24; turn++) await undefined;
  await nextTurn();
}

/**
 * Reloads an engine again and again while others decide and start work: after a reload is acknowledged nothing is
 * decided under an older generation, nothing that was started under one is still starting, and no decision mixes two.
 */
export async function proveReloads(reloads: number, workers: number): Promise<ReloadProof> {
  const engine = createPolicyEngine({ text: BASE, clock: fixedClock(), selfId: SELF_ID });
  let acknowledged = engine.snapshot().generation;
  let decisions = 0;
  let isOver = false;
  const work = async (): Promise<void> => {
    while (!isOver) {
      await engine.whileHeld(async () => {
        const atLeast = acknowledged;
        const first = decideOnce(engine, atLeast);
        await others();
        // Held: whoever starts here still has the generation that it decided under.
        equal(decideOnce(engine, atLeast), first);
        decisions += 2;
      });
      decideOnce(engine, acknowledged);
      decisions++;
      await others();
    }
  };
  const running = Array.from({ length: workers }, work);
  for (let n = 1; n <= reloads; n++) {
    await others();
    const outcome = await engine.reload(n % 2 === 1 ? SHUT : BASE, { acceptWidening: true });
    ok(outcome.reloaded);
    acknowledged = outcome.generation;
    equal(acknowledged, n + 1);
  }
  isOver = true;
  await Promise.all(running);
  return { reloads, decisions };
}

/** One decision, checked against the only policy of its generation. */
function decideOnce(engine: PolicyEngine, atLeast: number): number {
  const { generation, effect } = engine.decide(requestFrom('laptop', { profile: 'query', workspace: 'app' }));
  ok(generation >= atLeast, `generation ${generation} after ${atLeast} was acknowledged`);
  equal(effect, generation % 2 === 1 ? 'allow' : 'deny');
  return generation;
}
