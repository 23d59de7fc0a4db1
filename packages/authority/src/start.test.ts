import type { PolicyEngine } from '@writ/policy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  ALPHA,
  askFor,
  createFixture,
  type Fixture,
  FROM_ALPHA,
  GRANT,
  POLICY,
  START_MS,
} from './testing/lease-fixture.ts';
import type { Ask, StartPermit } from './types.ts';

const HOUR_MS = 3_600_000;

describe('permitStart', () => {
  let at: Fixture;
  const start = (
    ask: Ask = askFor('repo-dev'),
    bounds: { timeoutMs?: number; writExpiresAtMs?: number } = {},
  ): StartPermit => at.database.withWriteTx((tx) => at.authority.permitStart(tx, FROM_ALPHA, ask, bounds));
  const code = (permit: StartPermit) => (permit.permitted ? 'permitted' : permit.code);
  const uses = () => at.authority.listLeases({ includeDead: true }).map((lease) => lease.uses);
  const reload = async (text: string) => {
    expect(await at.engine.reload(text, { acceptWidening: true })).toMatchObject({ reloaded: true });
  };
  beforeEach(async () => {
    at = await createFixture();
  });
  afterEach(() => at.database.close());

  it('claims the lease that it found, in the transaction of the start', () => {
    const lease = at.authority.grantLease(GRANT);
    const permit = start();
    expect(permit).toMatchObject({ permitted: true, lease: { id: lease.id }, decision: { effect: 'allow' } });
    expect(uses()).toEqual([1]);
    expect(at.database.auditTail(1)).toMatchObject([{ action: 'start.permitted', details: { lease: lease.id } }]);
  });

  it('is foretold without effect, whatever the limits say by now', async () => {
    at.authority.grantLease({ ...GRANT, maxUses: 1 });
    const entries = at.database.auditTail(1);
    expect(at.authority.previewStart(FROM_ALPHA, askFor('repo-dev'))).toMatchObject({ effect: 'allow', code: 'OK' });
    expect(at.database.auditTail(1)).toEqual(entries);
    expect(code(start())).toBe('permitted');
    expect(at.authority.previewStart(FROM_ALPHA, askFor('repo-dev')).code).toBe('LEASE_REQUIRED');
  });

  it('counts no use where the transaction of the start fails', () => {
    at.authority.grantLease({ ...GRANT, maxUses: 1 });
    expect(() =>
      at.database.withWriteTx((tx) => {
        expect(at.authority.permitStart(tx, FROM_ALPHA, askFor('repo-dev'), {}).permitted).toBe(true);
        throw new Error('the spawn row was refused');
      }),
    ).toThrow();
    expect(uses()).toEqual([0]);
    expect(code(start())).toBe('permitted');
  });

  it('starts one of 64 on a lease of one use, and the next when that use is given back', () => {
    const lease = at.authority.grantLease({ ...GRANT, maxUses: 1 });
    const codes = Array.from({ length: 64 }, () => code(start()));
    expect(codes.filter((one) => one === 'permitted')).toHaveLength(1);
    expect(new Set(codes.slice(1))).toEqual(new Set(['LEASE_REQUIRED']));
    at.database.withWriteTx((tx) => at.authority.returnClaim(tx, lease.id));
    expect(at.database.auditTail(1)[0]).toMatchObject({ action: 'lease.use-returned', subject: lease.id });
    expect(code(start())).toBe('permitted');
  });

  it('needs no lease and claims none for a profile without one', () => {
    at.authority.grantLease(GRANT);
    expect(start(askFor('query'))).not.toHaveProperty('lease');
    expect(uses()).toEqual([0]);
  });

  it('gives the earliest of profile, asker and lease as the deadline, whatever the writ says, which may be renewed', () => {
    at.authority.grantLease(GRANT);
    const deadline = (ask: Ask, bounds = {}) => {
      const permit = start(ask, bounds);
      return permit.permitted ? permit.deadlineMs - at.database.nowMs() : undefined;
    };
    expect(deadline(askFor('repo-dev'))).toBe(HOUR_MS / 2);
    expect(deadline(askFor('repo-dev'), { timeoutMs: 5000 })).toBe(5000);
    expect(deadline(askFor('repo-dev'), { timeoutMs: 2 * HOUR_MS, writExpiresAtMs: START_MS + 7000 })).toBe(
      HOUR_MS / 2,
    );
    at.move(HOUR_MS - 1000);
    expect(deadline(askFor('repo-dev'))).toBe(1000);
  });

  it('starts nothing after the writ has expired, and leaves the lease alone', () => {
    at.authority.grantLease(GRANT);
    const late = start(askFor('repo-dev'), { writExpiresAtMs: START_MS });
    expect(late).toMatchObject({ code: 'WRIT_EXPIRED', message: 'the writ that it came with has ended' });
    expect(uses()).toEqual([0]);
  });

  it('starts nothing under a writ while the clock stands back, and says that it is the clock', () => {
    const bounds = { writExpiresAtMs: START_MS + HOUR_MS };
    expect(code(start(askFor('query'), bounds))).toBe('permitted');
    at.move(-60_001);
    const back = start(askFor('query'), bounds);
    expect(back).toMatchObject({ code: 'CLOCK_BACKWARDS', message: expect.stringContaining('clock') });
    expect(code(start(askFor('query')))).toBe('permitted');
  });

  it('says how the lease went away since', () => {
    expect(code(start())).toBe('LEASE_REQUIRED');
    const lease = at.authority.grantLease(GRANT);
    at.authority.revokeLease(lease.id, 'person');
    expect(code(start())).toBe('LEASE_REVOKED');
    at.authority.grantLease(GRANT);
    at.move(HOUR_MS);
    expect(code(start())).toBe('LEASE_EXPIRED');
    at.move(-60_001);
    expect(code(start())).toBe('CLOCK_BACKWARDS');
    expect(at.database.auditTail(1)[0]?.action).toBe('start.refused');
  });

  it('decides on the snapshot of this moment', async () => {
    at.authority.grantLease(GRANT);
    await reload(POLICY.replace('[peers.alpha.limits]', 'enabled = false\n[peers.alpha.limits]'));
    expect(code(start())).toBe('TRUST_REVOKED');
    await reload(POLICY.replace('profiles = ["query", "repo-dev", "system-change"]', 'profiles = ["query"]'));
    expect(code(start())).toBe('PROFILE_NOT_ALLOWED');
    expect(start().decision.generation).toBe(3);
    expect(uses()).toEqual([0]);
  });

  it('does not serve a profile that has grown since the lease was lent', async () => {
    at.authority.grantLease(GRANT);
    expect(code(start())).toBe('permitted');
    await reload(POLICY.replaceAll('"run_tests"', '"run_tests", "push_repo"'));
    expect(code(start())).toBe('LEASE_REQUIRED');
  });

  it('keeps to the workspaces of the lease', () => {
    at.authority.grantLease({ ...GRANT, workspaces: ['app'] });
    expect(code(start(askFor('repo-dev', { workspace: 'site' })))).toBe('LEASE_REQUIRED');
    expect(code(start())).toBe('permitted');
  });

  it('applies no limit a second time', () => {
    at.live.set(ALPHA, 99);
    for (let i = 0; i < 5; i++) expect(code(start(askFor('query')))).toBe('permitted');
  });

  it.each<[string, Partial<ReturnType<PolicyEngine['decide']>>]>([
    ['none', { leaseId: undefined }],
    ['one that does not exist', { leaseId: 'made-up' }],
    ['one of another profile', { effectiveProfile: 'system-change' }],
    ['one that holds less', { grant: undefined }],
  ])('asks again whether the lease covers it where the engine allows with %s', async (_, change) => {
    at.database.close();
    at = await createFixture({
      engine: (real) => ({ ...real, decide: (request) => bend(real.decide(request), change) }),
    });
    at.authority.grantLease(GRANT);
    expect(start().permitted).toBe(false);
    expect(uses()).toEqual([0]);
  });
});

/** A decision as a broken engine might give it; without a grant: with one that holds more than the lease. */
function bend(
  decision: ReturnType<PolicyEngine['decide']>,
  change: Partial<ReturnType<PolicyEngine['decide']>>,
): ReturnType<PolicyEngine['decide']> {
  const bent = { ...decision, ...change };
  if (bent.grant !== undefined || decision.grant === undefined) return bent;
  return { ...bent, grant: { ...decision.grant, closure: [...decision.grant.closure, 'destructive'] } };
}
