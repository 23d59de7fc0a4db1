import { sha256Hex } from '@writ/core';
import type { Execution } from '@writ/lease-store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGateFixture, GATE_POLICY, type GateFixture, HOUR_MS } from '../testing/gate-fixture.ts';
import type { Proposal } from './types.ts';

const READ = { class: 'read', needs: [], target: undefined } as const;

describe('the last look before a command starts', () => {
  let at: GateFixture;
  beforeEach(async () => {
    at = await createGateFixture();
  });
  afterEach(() => at.close());

  const lend = (change: object = {}) =>
    at.authority.grantLease({ peer: 'self', profile: 'ops', durationMs: 8 * HOUR_MS, issuedBy: 'ap-1', ...change });
  const propose = (change: Partial<Proposal> = {}): Execution => {
    const outcome = at.propose(change);
    if (!outcome.proposed) throw new Error(outcome.refusal.message);
    return outcome.execution;
  };
  const start = ({ id, digest }: Pick<Execution, 'id' | 'digest'>) => at.gate.executions.start(id, digest);
  const approvalOf = ({ approval = '' }: Execution) => at.gate.approvals.get(approval);

  it('finds nothing under an id that is none', () => {
    expect(start({ id: 'none', digest: 'x' })).toEqual({ started: false, waits: false });
  });

  it('gives the end of the lease as the latest time, and claims one use', () => {
    const lease = lend({ durationMs: 60_000, maxUses: 2 });
    const execution = propose(READ);
    const { expiresAtMs } = lease;
    expect(start(execution)).toMatchObject({ started: true, deadlineMs: expiresAtMs, execution: { lease: lease.id } });
    expect(at.authority.listLeases({})[0]?.uses).toBe(1);
  });

  it('gives the use back where the profile no longer holds what the command needs', async () => {
    lend();
    const execution = propose();
    at.answer(execution.approval ?? '', 'approve');
    await at.engine.reload(GATE_POLICY.replace('"manage_services", ', ''), { acceptWidening: false });
    expect(start(execution)).toMatchObject({ started: false, waits: false, execution: { state: 'failed' } });
    expect(at.authority.listLeases({}).map(({ uses }) => uses)).toEqual([0]);
    expect(approvalOf(execution)?.usedAtMs).toBeUndefined();
  });

  it('ends what was not started in time, with its question, before any sweep', () => {
    lend();
    const [read, asked] = [propose(READ), propose()];
    at.move(HOUR_MS);
    for (const execution of [read, asked]) {
      expect(start(execution)).toMatchObject({
        ...{ started: false, waits: false },
        execution: { state: 'expired', outcome: { code: 'EXPIRED', message: 'it was not started in time' } },
      });
    }
    expect(approvalOf(asked)?.state).toBe('cancelled');
  });

  it('takes back the question of what changed while it waited', () => {
    lend();
    const execution = propose();
    const outcome = at.gate.executions.start(execution.id, sha256Hex('something else'));
    expect(outcome).toMatchObject({ execution: { state: 'failed', outcome: { code: 'CHANGED_SINCE_APPROVAL' } } });
    expect(approvalOf(execution)?.state).toBe('cancelled');
  });

  it('takes needs for the same in any order', () => {
    lend();
    const execution = propose({ needs: ['manage_services', 'edit_repo'] });
    at.answer(execution.approval ?? '', 'approve');
    at.reclassified.needs = ['edit_repo', 'manage_services', 'edit_repo'];
    expect(start(execution).started).toBe(true);
  });

  it('asks for what a closed window had covered, and denies it where the same is asked already', () => {
    lend();
    const opened = propose();
    at.answer(opened.approval ?? '', 'approve', 'session');
    const digest = sha256Hex('another restart');
    const [first, second] = [propose({ digest }), propose({ digest })];
    expect([first.approval, second.approval]).toEqual([undefined, undefined]);
    for (const { id } of at.gate.windows.list({})) at.gate.windows.close(id, 'ap-1');
    expect(start(first)).toEqual({ started: false, waits: true });
    expect(start(second)).toMatchObject({
      ...{ started: false, waits: false },
      execution: { state: 'denied', outcome: { code: 'CONFLICT' } },
    });
  });

  it('closes the question of what a window covers meanwhile, so that it runs once', () => {
    lend();
    const [waiting, opening] = [propose(), propose({ digest: sha256Hex('another') })];
    at.answer(opening.approval ?? '', 'approve', 'session');
    expect(start(waiting)).toMatchObject({ started: true, execution: { window: expect.any(String) } });
    expect(approvalOf(waiting)?.state).toBe('cancelled');
    expect(at.answer(waiting.approval ?? '', 'approve')).toMatchObject({ decided: false, check: 'pending' });
  });
});
