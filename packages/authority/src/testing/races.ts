import { sha256Hex } from '@writ/core';
import type { Approval } from '@writ/lease-store';
import fc, { type Scheduler } from 'fast-check';
import type { DecideOutcome } from '../approvals/types.ts';
import type { GateFixture } from './gate-fixture.ts';
import { HOUR_MS, IN_A } from './gate-fixture.ts';

/** How much is tried. */
export interface Effort {
  readonly schedules: number;
  readonly seed: number;
}

/** One run of a race: everybody who takes part, each in steps between which anybody else may come. */
type Race = (scheduler: Scheduler, run: number) => Promise<void>;

/** Runs a race under many orders of its steps; throws for the first order that breaks it, with how to repeat it. */
export async function underSchedules({ schedules, seed }: Effort, race: Race): Promise<void> {
  let run = 0;
  const property = fc.asyncProperty(fc.scheduler(), async (scheduler) => {
    run += 1;
    await race(scheduler, run);
  });
  await fc.assert(property, { numRuns: schedules, seed, endOnFailure: true });
}

function demand(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

/** Between two runs, milliseconds: a session asks so often in a minute and no oftener. */
const BETWEEN_MS = 2_000;

/** A question that no run before has asked. */
function askOnce(at: GateFixture, run: number, task?: string): Approval {
  const asker = task === undefined ? IN_A : { ...IN_A, task };
  at.move(BETWEEN_MS);
  const outcome = at.ask({ digest: sha256Hex(`question ${run}`), asker });
  if (!outcome.asked) throw new Error(outcome.refusal.message);
  return outcome.approval;
}

/** Looks at a question and answers it, in two steps between which others come. */
async function decideInSteps(at: GateFixture, scheduler: Scheduler, id: string, how: number): Promise<DecideOutcome> {
  const answer = how % 2 === 0 ? 'approve' : 'deny';
  await scheduler.schedule(Promise.resolve(), `look ${how}`);
  const statement = at.gate.approvals.statement(id, answer === 'approve' ? { answer, scope: 'once' } : { answer });
  if (statement === undefined) throw new Error('the question is gone');
  await scheduler.schedule(Promise.resolve(), `answer ${how}`);
  return at.gate.approvals.decide(id, { statement, proof: at.proofOf(statement) });
}

/** Of many deciders at once exactly one wins; every other one is told who did; one effect, one event. */
export async function proveOneWinner(at: GateFixture, effort: Effort & { readonly deciders: number }): Promise<void> {
  await underSchedules(effort, async (scheduler, run) => {
    const { id } = askOnce(at, run);
    at.events.length = 0;
    at.settled.length = 0;
    const deciding = Array.from({ length: effort.deciders }, (_, i) => decideInSteps(at, scheduler, id, i));
    await scheduler.waitAll();
    const outcomes = await Promise.all(deciding);
    const winners = outcomes.filter(({ decided }) => decided);
    demand(winners.length === 1, `${winners.length} of ${effort.deciders} deciders won`);
    const told = outcomes.filter((outcome) => !outcome.decided && outcome.decidedBy === 'ap-1');
    demand(told.length === effort.deciders - 1, 'somebody was not told who was faster');
    demand(at.events.length === 1 && at.settled.length === 1, 'there was not exactly one event and one effect');
  });
}

/**
 * Answers against the end of the session or the task, at each step: who comes before the end wins, who comes after it gets
 * NOT_FOUND or hears who was faster; nothing is consumed and no event goes out after the end.
 */
export async function proveGone(at: GateFixture, effort: Effort): Promise<void> {
  await underSchedules(effort, async (scheduler, run) => {
    const task = `task ${run}`;
    at.liveTasks.add(task);
    const { id } = askOnce(at, run, task);
    at.events.length = 0;
    const isCleaned = run % 2 === 0;
    let eventsAtEnd = -1;
    const end = async (): Promise<void> => {
      await scheduler.schedule(Promise.resolve(), 'vanish');
      at.liveTasks.delete(task);
      eventsAtEnd = at.events.length;
      if (!isCleaned) return;
      // Properly ended: its questions go with it. Otherwise the row stays behind, as after a crash.
      at.database.withWriteTx((tx) => at.gate.taskEnded(tx, task));
      eventsAtEnd = at.events.length;
    };
    const running = [end(), decideInSteps(at, scheduler, id, 0), decideInSteps(at, scheduler, id, 1)] as const;
    await scheduler.waitAll();
    const [, yes, no] = await Promise.all(running);
    const late = [yes, no].filter((outcome) => !outcome.decided);
    for (const outcome of late) {
      demand(
        !outcome.decided && ['NOT_FOUND', 'NOT_PENDING'].includes(outcome.refusal.code),
        'a late answer was taken for something else',
      );
    }
    const wins = 2 - late.length;
    demand(wins <= 1 && at.events.length === Math.max(eventsAtEnd, wins), 'an event went out for what was gone');
    const state = at.gate.approvals.get(id)?.state;
    demand(wins === 1 || state === (isCleaned ? 'cancelled' : 'pending'), `it is ${state}`);
    at.database.withWriteTx((tx) => at.gate.taskEnded(tx, task));
  });
}

/** A use that there is one of is claimed once, however many claim it. Returns how many claims there were. */
export function proveSingleUse(
  at: GateFixture,
  effort: { readonly rounds: number; readonly claimers: number },
): number {
  const { database, authority, options } = at;
  for (let round = 0; round < effort.rounds; round++) {
    const lease = authority.grantLease({
      ...{ peer: 'self', profile: 'ops', durationMs: HOUR_MS, maxUses: 1, issuedBy: 'ap-1' },
    });
    let claimed = 0;
    for (let claimer = 0; claimer < effort.claimers; claimer++) {
      if (database.withWriteTx((tx) => options.leases.claimUse(tx, lease.id)).claimed) claimed += 1;
    }
    demand(claimed === 1, `${claimed} of ${effort.claimers} claimed one use`);
  }
  return effort.rounds * effort.claimers;
}

/** An answer under an id, or for a statement, that is not the question's: every row stays as it was. */
export function proveWrongAnswers(at: GateFixture, { schedules, seed }: Effort): void {
  const text = fc.string({ maxLength: 40 });
  const { id } = askOnce(at, 0);
  const change = fc.record(
    { approval: text, node: text, kind: text, digest: text, preview: text, scope: text, expiresAtMs: fc.nat() },
    { requiredKeys: [] },
  );
  const property = fc.property(
    fc.boolean(),
    text,
    change,
    fc.constantFrom('approve', 'deny'),
    (isOther, other, bent, answer) => {
      const right = at.gate.approvals.statement(id, { answer: 'approve', scope: 'once' });
      if (right === undefined) throw new Error('the question is gone');
      const statement = { ...right, ...bent, answer } as typeof right;
      if (!isOther && JSON.stringify(statement) === JSON.stringify(right)) return;
      const before = JSON.stringify(at.rows());
      const outcome = at.gate.approvals.decide(isOther ? other : id, { statement, proof: at.proofOf(right) });
      demand(!outcome.decided, 'a wrong answer was taken');
      demand(JSON.stringify(at.rows()) === before, 'a wrong answer changed a row');
    },
  );
  fc.assert(property, { numRuns: schedules, seed, endOnFailure: true });
}
