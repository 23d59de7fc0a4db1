import fc from 'fast-check';
import { type GateFixture, HOUR_MS, IN_A, NGINX } from './gate-fixture.ts';
import type { Effort } from './races.ts';

const DAY_MS = 24 * HOUR_MS;

/** Moves of the wall clock, milliseconds: a second, under and over the tolerance, past every life, past pruning. */
const MOVES = [1000, -1000, 59_000, -59_000, -61_000, HOUR_MS, -HOUR_MS, 31 * DAY_MS, -31 * DAY_MS] as const;

type Step = { readonly do: 'move'; readonly ms: number } | { readonly do: 'use' | 'accept' | 'sweep' | 'lend' };

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...MOVES).map((ms): Step => ({ do: 'move', ms })) },
    { weight: 6, arbitrary: fc.constant<Step>({ do: 'use' }) },
    { weight: 1, arbitrary: fc.constantFrom<Step>({ do: 'accept' }, { do: 'sweep' }, { do: 'lend' }) },
  ),
  { minLength: 4, maxLength: 40 },
);

/** One time-limited right: whether it can be used at this moment, asked in a write transaction. */
interface Right {
  readonly name: string;
  use(): boolean;
}

function lend({ authority, database, options }: GateFixture, n: number): readonly Right[] {
  if (database.clockIsBackwards()) return [];
  const lease = authority.grantLease({ peer: 'self', profile: 'ops', durationMs: HOUR_MS, issuedBy: 'ap-1' });
  const { origin, session, agent } = IN_A;
  const whose = { origin, session: `${session} ${n}`, agent };
  database.withWriteTx((tx) =>
    options.windows.open(tx, {
      ...{ id: `window ${n}`, kind: 'destructive', target: NGINX, profile: 'ops', approval: 'a' },
      ...{ ...whose, expiresAtMs: tx.nowMs + HOUR_MS },
    }),
  );
  return [
    { name: `lease ${n}`, use: () => database.withWriteTx((tx) => options.leases.claimUse(tx, lease.id)).claimed },
    {
      name: `window ${n}`,
      use: () =>
        database.withWriteTx((tx) => {
          const found = options.windows.findOpen(tx, { ...whose, kind: 'destructive', target: NGINX }, tx.nowMs);
          return found[0] !== undefined && options.windows.claimUse(tx, found[0].id);
        }),
    },
  ];
}

/**
 * Whatever the wall clock does: what was seen dead never lives again, nothing is used while the clock stands back, and
 * accepting the clock ends everything. Returns how many uses were tried.
 */
export async function proveClocks(create: () => Promise<GateFixture>, { schedules, seed }: Effort): Promise<number> {
  let tried = 0;
  const property = fc.asyncProperty(steps, async (sequence) => {
    const at = await create();
    try {
      const dead = new Set<string>();
      let rights = lend(at, 0);
      for (const [n, step] of sequence.entries()) {
        if (step.do === 'move') at.move(step.ms);
        if (step.do === 'lend') rights = [...rights, ...lend(at, n + 1)];
        if (step.do === 'sweep') for (const one of [at.authority, at.gate.windows, at.gate.approvals]) one.sweep();
        if (step.do === 'accept') {
          if (!at.database.clockIsBackwards()) continue;
          at.gate.acceptClock('ap-1');
          for (const { name } of rights) dead.add(name);
        }
        if (step.do !== 'use') continue;
        const isBackwards = at.database.clockIsBackwards();
        for (const { name, use } of rights) {
          tried += 1;
          const used = use();
          if (used && (isBackwards || dead.has(name)))
            throw new Error(`${name} was used ${isBackwards ? 'under a clock that is back' : 'after its end'}`);
          // Under a clock that stands back nothing is said about it: the clock may be set right again.
          if (!used && !isBackwards) dead.add(name);
        }
      }
    } finally {
      at.close();
    }
  });
  await fc.assert(property, { numRuns: schedules, seed, endOnFailure: true });
  return tried;
}
