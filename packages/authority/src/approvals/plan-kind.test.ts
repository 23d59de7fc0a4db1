import { isWritError, sha256Hex } from '@writ/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeBasis } from '../executions/basis.ts';
import { assentText } from '../executions/scopes.ts';
import { createGateFixture, GATE_POLICY, type GateFixture, HOUR_MS, IN_A } from '../testing/gate-fixture.ts';
import type { Plan } from './plan.ts';
import { planQuestion } from './plan-kind.ts';

const subject = { from: 'self', origin: IN_A.origin, session: 'a' };
const [ONE, TWO] = [sha256Hex('one'), sha256Hex('two')];
const PLAN: Plan = {
  ...{ title: 'restart it', onlySteps: false, windowMs: HOUR_MS, profile: 'ops' },
  steps: [
    { digest: ONE, class: 'config-mutation', needs: ['manage_services'] },
    { digest: TWO, class: 'destructive', needs: ['manage_services'] },
  ],
  basis: writeBasis({ subject, ask: { chain: [], profile: 'ops', workspace: 'app', input: 'argv' } }),
};
const SHOWN = {
  asker: { label: 'me', words: 'a-b-c-d' },
  steps: [
    [
      { label: 'argument 0', text: 'systemctl' },
      { label: 'argument 1', text: 'restart' },
    ],
    [{ label: 'argument 0', text: 'rm' }],
  ],
};
const question = (change: Partial<Plan> = {}) =>
  planQuestion({ ...PLAN, ...change }, 24 * HOUR_MS, { asker: IN_A, lifetimeMs: HOUR_MS }, SHOWN);
const linesOf = (change: Partial<Plan> = {}) => {
  const { preview } = question(change);
  return preview.shown ? preview.text.split('\n') : [];
};

describe('the question that a plan is', () => {
  it('shows the plan, who asks, what a yes opens, and every step whole, in order', () => {
    expect(linesOf()).toEqual([
      'plan: restart it',
      ...['asked by: me (a-b-c-d)', 'agent: agent', `session: a of ${IN_A.origin}`, 'profile: ops'],
      'a yes opens: the assent window of this agent in this session in workspace app for 1h, each step as often as it likes',
      `it covers: these steps, and besides ${assentText('app')}`,
      ...['step 1: config-mutation', 'step 1, argument 0: systemctl', 'step 1, argument 1: restart'],
      ...['step 2: destructive: asks again', 'step 2, argument 0: rm'],
    ]);
  });

  it('shows where it covers its steps only, and how often it may be used', () => {
    expect(linesOf({ onlySteps: true, maxUses: 3 })).toEqual(
      expect.arrayContaining([
        'a yes opens: the assent window of this agent in this session in workspace app for 1h, 3 times at most',
        'it covers: these steps only',
      ]),
    );
  });

  it('is of kind plan, answered for the session alone, and another one for another plan', () => {
    expect(question()).toMatchObject({
      ...{ kind: 'plan', scopes: ['session'], subject: PLAN, asker: IN_A, lifetimeMs: HOUR_MS },
    });
    const changes: Partial<Plan>[] = [
      ...[{ title: 'x' }, { onlySteps: true }, { windowMs: 1 }, { maxUses: 1 }, { profile: 'dev' }],
      ...[{ basis: {} }, { steps: PLAN.steps.slice(1) }, { steps: [...PLAN.steps].reverse() }],
    ];
    expect(new Set([{}, ...changes].map((change) => question(change).digest)).size).toBe(changes.length + 1);
  });

  it.each<[Partial<Plan>, string, string]>([
    [{ steps: [] }, 'a plan has no steps', 'name what it would run'],
    ...[0, -1, 0.5, Number.NaN, 24 * HOUR_MS + 1].map((windowMs): [Partial<Plan>, string, string] => [
      ...([{ windowMs }, 'the window of a plan has no usable bounds', 'open it for 1d at most'] as const),
    ]),
    ...[0, -1, 0.5].map((maxUses): [Partial<Plan>, string, string] => [
      ...([{ maxUses }, 'the window of a plan has no usable bounds', 'open it for 1d at most'] as const),
    ]),
  ])('is none for %j', (change, message, nextStep) => {
    try {
      question(change);
      expect.unreachable();
    } catch (error) {
      expect(isWritError(error) && [error.code, error.message, ...error.nextSteps]).toEqual([
        ...['BAD_REQUEST', message, nextStep],
      ]);
    }
  });

  it('may open its window for as long as windows may be open', () => {
    expect(question({ windowMs: 24 * HOUR_MS }).kind).toBe('plan');
  });
});

describe('a yes to a plan', () => {
  let at: GateFixture;
  const ask = (change: Partial<Plan> = {}): string => {
    const outcome = at.ask(question(change));
    if (!outcome.asked) throw new Error(outcome.refusal.message);
    return outcome.approval.id;
  };
  beforeEach(async () => {
    at = await createGateFixture();
    at.authority.grantLease({ peer: 'self', profile: 'ops', durationMs: 8 * HOUR_MS, issuedBy: 'ap-1' });
  });
  afterEach(() => at.close());

  it('opens the window that was shown, from then on, bound to its key', () => {
    const id = ask({ maxUses: 3, onlySteps: true });
    at.move(HOUR_MS / 2);
    at.answer(id, 'approve');
    const { origin, session, agent } = IN_A;
    expect(at.gate.windows.list({})).toEqual([
      expect.objectContaining({
        ...{ kind: 'assent', origin, session, agent, workspace: 'app', profile: 'ops', approval: id },
        ...{ maxUses: 3, steps: [ONE, TWO] },
        expiresAtMs: at.database.nowMs() + HOUR_MS,
      }),
    ]);
  });

  it('opens one without a count, without steps and without a workspace where none were named', () => {
    const basis = writeBasis({ subject, ask: { chain: [], profile: 'ops', input: 'argv' } });
    at.answer(ask({ basis }), 'approve');
    const [window] = at.gate.windows.list({});
    expect([window?.maxUses, window?.steps, window?.workspace]).toEqual([undefined, undefined, undefined]);
    expect(linesOf({ basis })).toContain(
      'a yes opens: the assent window of this agent in this session without a workspace for 1h, each step as often as it likes',
    );
  });

  it('is not taken where policy would refuse any of its steps, and a no is', async () => {
    const id = ask({
      steps: [
        { digest: ONE, class: 'read', needs: [] },
        { digest: TWO, class: 'config-mutation', needs: ['push_repo'] },
      ],
    });
    expect(at.answer(id, 'approve')).toMatchObject({
      ...{ decided: false, check: 'policy' },
      refusal: { code: 'PROFILE_NOT_ALLOWED', message: 'the profile `ops` lacks push_repo' },
    });
    expect(at.answer(id, 'deny').decided).toBe(true);
    expect(at.gate.windows.list({})).toEqual([]);
  });

  it('needs what is destructive for a destructive step alone', async () => {
    at.authority.grantLease({ peer: 'self', profile: 'dev', durationMs: HOUR_MS, issuedBy: 'ap-1' });
    const basis = writeBasis({ subject, ask: { chain: [], profile: 'dev', workspace: 'app', input: 'argv' } });
    const of = (kind: 'config-mutation' | 'destructive') =>
      ask({ profile: 'dev', basis, steps: [{ digest: ONE, class: kind, needs: ['edit_repo'] }] });
    expect(at.answer(of('destructive'), 'approve')).toMatchObject({ check: 'policy' });
    expect(at.answer(of('config-mutation'), 'approve').decided).toBe(true);
  });

  it('is not taken for a plan that cannot be read any more, which can be denied', () => {
    const id = ask();
    for (const subjectText of ['{}', '7', '{"title":"x"}']) {
      at.database.withWriteTx((tx) => tx.prepare('UPDATE approval SET subject = ? WHERE id = ?').run(subjectText, id));
      const outcome = at.answer(id, 'approve');
      expect(outcome.decided).toBe(false);
      expect(at.gate.windows.list({})).toEqual([]);
    }
  });

  it('to a plan that was edited in its row changed', () => {
    const id = ask();
    const edited = JSON.stringify({ ...PLAN, windowMs: 2 * HOUR_MS });
    at.database.withWriteTx((tx) => tx.prepare('UPDATE approval SET subject = ? WHERE id = ?').run(edited, id));
    expect(at.answer(id, 'approve')).toMatchObject({ check: 'digest', refusal: { code: 'CHANGED_SINCE_APPROVAL' } });
  });

  it('closes with a reload that takes a right of a step away', async () => {
    at.answer(ask(), 'approve');
    await at.engine.reload(GATE_POLICY.replace(', "destructive"', ''), { acceptWidening: false });
    expect(at.gate.windows.list({})).toEqual([]);
  });
});
