import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGateFixture, GATE_POLICY, type GateFixture, HOUR_MS, IN_A } from '../testing/gate-fixture.ts';
import { writeBasis } from './basis.ts';
import { createCommandRights } from './rights.ts';
import type { CommandRights, Rights, RightsQuery } from './types.ts';

const LEASE = { peer: 'self', profile: 'ops', durationMs: 8 * HOUR_MS, issuedBy: 'ap-1' };
const OF_TASK: Rights = { granted: false, refusal: { code: 'TRUST_REVOKED', message: 'of the task', nextSteps: [] } };

describe('the rights of a command', () => {
  let at: GateFixture;
  let rights: CommandRights;
  let asked: RightsQuery[];
  const subject = { from: 'self', origin: IN_A.origin, session: 'a' };
  const query = (profile = 'ops', more: Partial<RightsQuery> = {}, writExpiresAtMs?: number): RightsQuery => {
    const ask = { chain: [], profile, workspace: 'app', input: 'argv' } as const;
    const ends = writExpiresAtMs === undefined ? {} : { writExpiresAtMs };
    return { ...IN_A, profile, basis: writeBasis({ subject, ask, ...ends }), ...more };
  };
  const look = (of: RightsQuery) => at.database.withReadTx((tx) => rights.look(tx, of));
  const claim = (of: RightsQuery) => at.database.withWriteTx((tx) => rights.claim(tx, of));
  const uses = () => at.authority.listLeases({ includeDead: true }).map((lease) => lease.uses);
  beforeEach(async () => {
    at = await createGateFixture();
    asked = [];
    const ofTasks = (_: unknown, of: RightsQuery): Rights => {
      asked.push(of);
      return OF_TASK;
    };
    rights = createCommandRights(at.options, { look: ofTasks, claim: ofTasks, giveBack: () => {} });
  });
  afterEach(() => at.close());

  it('are what policy and leases grant now, told without effect', () => {
    at.authority.grantLease(LEASE);
    expect(look(query())).toMatchObject({
      ...{ granted: true, profile: 'ops', runner: 'shell', network: 'deny', isolation: 'none' },
      closure: expect.arrayContaining(['manage_services', 'destructive', 'shell']),
    });
    expect(uses()).toEqual([0]);
  });

  it('are refused with the reason of the decision and what it advises', () => {
    for (const refused of [look(query()), claim(query())]) {
      expect(refused).toMatchObject({ granted: false, refusal: { code: 'LEASE_REQUIRED' } });
      if (refused.granted) throw new Error('granted');
      expect([refused.refusal.message, refused.refusal.nextSteps.join()]).toEqual([
        expect.stringContaining('lease'),
        expect.stringMatching(/\S/),
      ]);
    }
  });

  it('are those of its task where the task asks, whatever is stored besides', () => {
    at.authority.grantLease(LEASE);
    const ofTask = query('ops', { task: 't1' });
    expect([look(ofTask), claim(ofTask)]).toEqual([OF_TASK, OF_TASK]);
    expect([asked, uses()]).toEqual([[ofTask, ofTask], [0]]);
  });

  it.each<[string, Partial<RightsQuery>]>([
    ['another origin', { origin: 'wn-other' }],
    ['another session', { session: 'b' }],
    ['somebody else', { requestedBy: 'wn-other' }],
    ['nobody', { basis: {} }],
    ['what is no basis', { basis: 7 }],
  ])('are none where the stored basis is of %s', (_, change) => {
    at.authority.grantLease(LEASE);
    const unreadable = {
      granted: false,
      refusal: { code: 'POLICY_ERROR', message: 'what it was asked under cannot be read', nextSteps: ['ask anew'] },
    };
    expect([look(query('ops', change)), claim(query('ops', change))]).toEqual([unreadable, unreadable]);
    expect(uses()).toEqual([0]);
  });

  it('claim one use, and end with the lease, even where the profile gave more time', () => {
    const lease = at.authority.grantLease({ ...LEASE, durationMs: 60_000, maxUses: 3 });
    expect(claim(query())).toMatchObject({
      ...{ granted: true, leaseId: lease.id, deadlineMs: lease.expiresAtMs },
      ends: { code: 'LEASE_EXPIRED', atMs: lease.expiresAtMs },
    });
    expect(uses()).toEqual([1]);
  });

  it('end with the writ where that is first, and with the lease where both end at once', () => {
    const lease = at.authority.grantLease({ ...LEASE, durationMs: 60_000 });
    const { expiresAtMs } = lease;
    const endOf = (writExpiresAtMs: number) => {
      const claimed = claim(query('ops', {}, writExpiresAtMs));
      return claimed.granted ? [claimed.ends, claimed.deadlineMs] : claimed.refusal.code;
    };
    expect(endOf(expiresAtMs - 1)).toEqual([{ code: 'WRIT_EXPIRED', atMs: expiresAtMs - 1 }, expiresAtMs - 1]);
    expect(endOf(expiresAtMs)).toEqual([{ code: 'LEASE_EXPIRED', atMs: expiresAtMs }, expiresAtMs]);
    expect(endOf(expiresAtMs + 1)).toEqual([{ code: 'LEASE_EXPIRED', atMs: expiresAtMs }, expiresAtMs]);
    expect(endOf(at.database.nowMs())).toBe('WRIT_EXPIRED');
  });

  it('have no end of their own where neither lease nor writ has one, and claim nothing', () => {
    const granted = claim(query('query'));
    expect(granted).toMatchObject({ granted: true, deadlineMs: expect.any(Number) });
    expect([granted.granted && 'ends' in granted, granted.granted && 'leaseId' in granted]).toEqual([false, false]);
  });

  it('of a profile that is another one now have changed, and use up no lease', async () => {
    at.authority.grantLease(LEASE);
    const dev = at.authority.grantLease({ ...LEASE, profile: 'dev', maxUses: 1 });
    await at.engine.reload(GATE_POLICY.replace('[self]', '[profile_ceilings]\nops = "dev"\n[self]'), {
      acceptWidening: false,
    });
    const refusal = {
      ...{ code: 'CHANGED_SINCE_APPROVAL', message: 'the profile is dev now, not ops', nextSteps: ['ask anew'] },
    };
    expect([look(query()), claim(query())]).toEqual([
      { granted: false, refusal },
      { granted: false, refusal },
    ]);
    expect(uses()).toEqual([0, 0]);
    expect(at.database.auditTail(1)).toMatchObject([
      { kind: 'lease', action: 'lease.use-returned', actor: 'node', subject: dev.id },
    ]);
  });

  it('of a profile that is one without a lease now give none back', async () => {
    at.authority.grantLease(LEASE);
    await at.engine.reload(GATE_POLICY.replace('[self]', '[profile_ceilings]\nops = "query"\n[self]'), {
      acceptWidening: false,
    });
    expect(claim(query())).toMatchObject({ granted: false, refusal: { code: 'CHANGED_SINCE_APPROVAL' } });
    expect(at.database.auditTail(9).map(({ action }) => action)).not.toContain('lease.use-returned');
  });

  it.each(['grant', 'effectiveProfile', 'effectiveRunner'] as const)(
    'are none where the engine allows and names no %s',
    (part) => {
      const decide: typeof at.engine.decide = (request) => ({ ...at.engine.decide(request), [part]: undefined });
      const bent = createCommandRights({ ...at.options, engine: { ...at.engine, decide } }, rights);
      at.authority.grantLease(LEASE);
      expect(at.database.withReadTx((tx) => bent.look(tx, query()))).toMatchObject({
        granted: false,
        refusal: { code: 'POLICY_ERROR' },
      });
    },
  );

  it('give a use back once nothing was spawned, with a row of it', () => {
    const lease = at.authority.grantLease({ ...LEASE, maxUses: 1 });
    claim(query());
    expect(claim(query())).toMatchObject({ granted: false });
    at.database.withWriteTx((tx) => rights.giveBack(tx, lease.id));
    expect(at.database.auditTail(1)).toMatchObject([{ action: 'lease.use-returned', subject: lease.id }]);
    expect(claim(query())).toMatchObject({ granted: true });
  });
});
