import { sha256Hex } from '@writ/core';
import type { Execution } from '@writ/lease-store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Proposal } from '../executions/types.ts';
import { createGateFixture, type GateFixture, HOUR_MS, IN_A, NGINX } from '../testing/gate-fixture.ts';

describe('an answer to a command', () => {
  let at: GateFixture;
  const propose = (change: Partial<Proposal> = {}): Execution => {
    const outcome = at.propose(change);
    if (!outcome.proposed) throw new Error(outcome.refusal.message);
    return outcome.execution;
  };
  const get = ({ id }: Execution) => at.gate.executions.get(id);
  const approve = ({ approval = '' }: Execution, ...scope: ['once' | 'session' | 'target'] | []) =>
    at.answer(approval, 'approve', ...scope);
  const { origin, session, agent } = IN_A;
  beforeEach(async () => {
    at = await createGateFixture();
    at.authority.grantLease({ peer: 'self', profile: 'ops', durationMs: 8 * HOUR_MS, issuedBy: 'ap-1' });
  });
  afterEach(() => at.close());

  it('of yes, once, lets it start and opens nothing', () => {
    const execution = propose();
    approve(execution, 'once');
    expect([get(execution)?.state, at.gate.windows.list({})]).toEqual(['proposed', []]);
  });

  it('of yes, for the session, opens the assent window of its own key for an hour', () => {
    const execution = propose();
    approve(execution, 'session');
    const [window, ...more] = at.gate.windows.list({});
    expect(more).toEqual([]);
    expect(window).toMatchObject({
      ...{ kind: 'assent', origin, session, agent, workspace: 'app', profile: 'ops', approval: execution.approval },
      expiresAtMs: at.database.nowMs() + HOUR_MS,
    });
    expect(window?.target).toBeUndefined();
  });

  it('of yes, for the target, opens the destructive window of that target alone', () => {
    const execution = propose({ class: 'destructive' });
    approve(execution, 'target');
    expect(at.gate.windows.list({})).toMatchObject([
      {
        ...{ kind: 'destructive', origin, session, agent, workspace: 'app', target: NGINX, profile: 'ops' },
        approval: execution.approval,
      },
    ]);
  });

  it('of no, of nobody, or taken back with what asked ends it, with the reason', () => {
    const [denied, late] = [propose(), propose({ digest: sha256Hex('late') })];
    at.answer(denied.approval!, 'deny');
    at.database.withWriteTx((tx) =>
      tx.prepare('UPDATE approval SET expires_at_ms = 1 WHERE id = ?').run(late.approval),
    );
    at.gate.approvals.sweep();
    const withdrawn = propose({ digest: sha256Hex('withdrawn') });
    at.database.withWriteTx((tx) => at.gate.approvals.cancel(tx, withdrawn.approval!));
    expect([denied, late, withdrawn].map((one) => [get(one)?.state, get(one)?.outcome])).toEqual([
      ['denied', { code: 'APPROVAL_REQUIRED', message: 'a person said no' }],
      ['expired', { code: 'EXPIRED', message: 'nobody answered in time' }],
      ['cancelled', { code: 'CANCELLED', message: 'what asked for it has ended' }],
    ]);
  });

  it('is not taken once it was to start by then, with what to do', () => {
    const execution = propose();
    at.database.withWriteTx((tx) => tx.prepare('UPDATE execution SET expires_at_ms = ?').run(at.database.nowMs()));
    expect(approve(execution)).toMatchObject({
      ...{ decided: false, check: 'policy' },
      refusal: { code: 'EXPIRED', message: 'the command was not started in time', nextSteps: ['run it anew'] },
    });
    at.database.withWriteTx((tx) => tx.prepare('UPDATE execution SET expires_at_ms = ?').run(at.database.nowMs() + 1));
    expect(approve(execution).decided).toBe(true);
  });

  it('is not taken where the question names no command that is there', () => {
    const { approval = '' } = propose();
    for (const subject of ['null', '7', '[]', '{}', '{"execution":7}', '{"execution":"none"}']) {
      at.database.withWriteTx((tx) =>
        tx.prepare('UPDATE approval SET subject = ? WHERE id = ?').run(subject, approval),
      );
      expect(at.answer(approval, 'approve')).toMatchObject({
        ...{ decided: false, check: 'policy' },
        refusal: { code: 'NOT_FOUND', message: 'the command is not there any more', nextSteps: ['run it anew'] },
      });
    }
  });

  it('is to the command of now: another digest in its row has changed', () => {
    const execution = propose();
    at.database.withWriteTx((tx) => tx.prepare('UPDATE execution SET digest = ?').run(sha256Hex('edited')));
    expect(approve(execution)).toMatchObject({ check: 'digest', refusal: { code: 'CHANGED_SINCE_APPROVAL' } });
  });

  it('ends its window no earlier than the command’s own end: a window outlives the command that opened it', () => {
    const execution = propose({ lifetimeMs: 1000 });
    approve(execution, 'session');
    expect(at.gate.executions.start(execution.id, execution.digest).started).toBe(true);
    at.gate.executions.finish(execution.id, 'complete', { code: 'OK', message: 'done' });
    at.move(2000);
    expect([at.gate.windows.closeWithdrawn(), at.gate.windows.list({}).length]).toEqual([0, 1]);
  });
});
