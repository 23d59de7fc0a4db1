import type { Approval, Execution } from '@writ/lease-store';
import { describe, expect, it } from 'vitest';
import { listsStep, namesTarget, readPlan } from './plan.ts';

const STEPS = [
  { digest: 'd1', class: 'config-mutation', needs: ['manage_services'], target: 'nginx' },
  { digest: 'd2', class: 'destructive', needs: [], target: 'disk' },
] as const;
const SUBJECT = { title: 'a plan', steps: STEPS, onlySteps: true, windowMs: 1000, profile: 'ops', basis: {} };

const asked = (kind: Approval['kind'], subject: unknown = SUBJECT) => ({ kind, subject }) as Approval;
const about = (target?: string) => (target === undefined ? {} : { target }) as Execution;

describe('a plan that is stored', () => {
  it('is read back whole, and one that holds anything else is none', () => {
    expect(readPlan(asked('plan'))).toEqual(SUBJECT);
    const other = [{ windowMs: 0 }, { windowMs: 1.5 }, { maxUses: 0 }, { steps: [{ ...STEPS[0], class: 'other' }] }];
    for (const change of other) expect(readPlan(asked('plan', { ...SUBJECT, ...change }))).toBeUndefined();
  });
});

describe('a question that names a target', () => {
  it('names those of the steps of its plan, and of nothing that looks like a plan', () => {
    const named = (target: string | undefined) => namesTarget(asked('plan'), undefined, target);
    expect([named('nginx'), named('disk'), named('other'), named(undefined)]).toEqual([true, true, false, false]);
    expect(namesTarget(asked('execution'), undefined, 'nginx')).toBe(false);
    expect(namesTarget(asked('plan', {}), undefined, 'nginx')).toBe(false);
  });

  it('names that of the command that it is about', () => {
    const named = (execution: Execution, target?: string) => namesTarget(asked('execution', {}), execution, target);
    expect([named(about('nginx'), 'nginx'), named(about('disk'), 'nginx')]).toEqual([true, false]);
    expect([named(about(), 'nginx'), named(about(), undefined)]).toEqual([false, false]);
  });
});

describe('a question that lists an action', () => {
  it('is one about a plan with this very step', () => {
    expect(['d1', 'd2', 'd3'].map((digest) => listsStep(asked('plan'), digest))).toEqual([true, true, false]);
    expect([listsStep(asked('execution'), 'd1'), listsStep(asked('plan', {}), 'd1')]).toEqual([false, false]);
  });
});
