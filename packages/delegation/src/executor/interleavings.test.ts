import { createFakeClock } from '@writ/testkit/clock';
import {
  createScriptedRunner,
  createTestNode,
  type ScriptedRunner,
  submitTrue,
  type TestNode,
} from '@writ/testkit/delegation';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTerminal, type TaskState } from '../index.ts';

const POLICY = `schema = 1
[node]
name = "box"
default_profile = "query"
[profiles.query]
capabilities = ["inspect_status"]
runner = "shell"
isolation = "none"
timeout = "1m"
[self]
profiles = ["query"]
`;

/** What may happen, in any order, to a handful of tasks. */
type Step =
  | { readonly kind: 'submit' | 'cancel' | 'output'; readonly task: number }
  | { readonly kind: 'exit'; readonly task: number; readonly status: number }
  | { readonly kind: 'advance'; readonly ms: number }
  | { readonly kind: 'withdraw' }
  | { readonly kind: 'turn' };

const task = fc.integer({ min: 0, max: 3 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('submit' as const), task }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cancel' as const), task }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('output' as const), task }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('exit' as const), task, status: fc.constantFrom(0, 1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('advance' as const), ms: fc.constantFrom(5, 20, 60_000) }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'withdraw' }) },
  { weight: 5, arbitrary: fc.constant<Step>({ kind: 'turn' }) },
);

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface World {
  readonly node: TestNode;
  readonly runner: ScriptedRunner;
  readonly advance: (ms: number) => void;
  readonly acknowledged: Map<string, TaskState>;
  readonly submits: Promise<unknown>[];
  /** Cancels and withdrawals that were not answered yet. */
  readonly pending: Promise<unknown>[];
}

/** Each step acts without waiting for the one before, unless it is `turn`. */
function act(world: World, what: Step): Promise<void> | undefined {
  const { node, runner } = world;
  if (what.kind === 'turn') return turn();
  if (what.kind === 'advance') return void world.advance(what.ms);
  if (what.kind === 'withdraw') {
    world.pending.push(node.executor.endWhere(() => true, 'TRUST_REVOKED', 'no peer any more'));
    return undefined;
  }
  const id = `t${what.task}`;
  const run = runner.runs.find(({ spec, ended }) => spec.task === id && !ended);
  if (what.kind === 'submit') world.submits.push(node.executor.submit(submitTrue(id)));
  if (what.kind === 'output' && run) run.output('stdout', 'x');
  if (what.kind === 'exit' && run) run.exit(what.status);
  if (what.kind === 'cancel' && node.executor.get(id)) {
    world.pending.push(
      node.executor.cancel(id, 'person').then(({ state }) => {
        world.acknowledged.set(id, state);
        // INVARIANT: 8 when a cancel is acknowledged, no process of the task is left.
        expect(runner.runs.filter(({ spec, ended }) => spec.task === id && !ended)).toEqual([]);
      }),
    );
  }
  return undefined;
}

/** Ends whatever still runs, until nothing is live. */
async function settle(world: World): Promise<void> {
  const { node, runner } = world;
  await Promise.all(world.submits);
  while (node.executor.list({ limit: 100 }).some(({ state }) => !isTerminal(state))) {
    for (const run of runner.runs) if (!run.ended) run.exit(0);
    await turn();
  }
  await Promise.all(world.pending);
}

async function check(world: World): Promise<void> {
  const { node, runner } = world;
  for (const { id, state, lastSeq, outcome, cancelRequestedAtMs } of node.executor.list({ limit: 100 })) {
    expect(runner.runs.filter(({ spec }) => spec.task === id).length).toBeLessThanOrEqual(1);
    expect(world.acknowledged.get(id) ?? state).toBe(state);
    // A late completion never overtakes the stored intent.
    if (cancelRequestedAtMs !== undefined) expect(state).not.toBe('completed');
    const seqs: number[] = [];
    let outcomes = 0;
    for await (const { event } of node.executor.watch(id, 0, new AbortController().signal)) {
      seqs.push(event.seq);
      if (event.kind === 'outcome') outcomes += 1;
    }
    expect(seqs).toEqual(Array.from({ length: lastSeq }, (_, i) => i + 1));
    expect(outcomes).toBe(1);
    expect(outcome?.state).toBe(state);
  }
}

describe('any order of submits, cancels, endings, timeouts and withdrawals', () => {
  it('starts a task at most once, ends it exactly once, and keeps a cancelled one cancelled', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.integer({ min: 1, max: 2 }), async (steps, slots) => {
        const clock = createFakeClock(Date.UTC(2026, 0, 1));
        const runner = createScriptedRunner({ clock });
        const node = await createTestNode({ clock, runner, policy: POLICY, slots, inMemory: true });
        const advance = (ms: number): void => clock.advance(ms);
        const world: World = { node, runner, advance, acknowledged: new Map(), submits: [], pending: [] };
        try {
          for (const one of steps) await act(world, one);
          await settle(world);
          await check(world);
        } finally {
          await node.close();
        }
      }),
      { numRuns: 60 },
    );
  }, 120_000);
});
