import { isWritError } from '@writ/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  ALPHA,
  askFor,
  createFixture,
  type Fixture,
  FROM_ALPHA,
  GAMMA,
  GRANT,
  POLICY,
  START_MS,
} from './testing/lease-fixture.ts';
import type { LeaseTerms } from './types.ts';

const DAY_MS = 86_400_000;

/** Refusals of a bad duration and a bad number of uses. */
const WHOLE = Array.from({ length: 2 }, () => ['BAD_REQUEST', 'give a whole number above zero']);

describe('leases, as a person lends them', () => {
  let at: Fixture;
  const refusal = (change: Partial<LeaseTerms & { readonly durationMs: number }>) => {
    try {
      at.authority.grantLease({ ...GRANT, ...change });
      return undefined;
    } catch (error) {
      if (!isWritError(error)) throw error;
      return [error.code, error.nextSteps.join('; ')];
    }
  };
  beforeEach(async () => {
    at = await createFixture();
  });
  afterEach(() => at.database.close());

  it('record who, what and the closure of this moment, with an audit row', () => {
    const lease = at.authority.grantLease({ ...GRANT, workspaces: ['App'], maxUses: 2, session: 's1' });
    expect(lease).toMatchObject({
      peer: ALPHA,
      origin: ALPHA,
      session: 's1',
      profile: 'repo-dev',
      workspaces: ['app'],
      expiresAtMs: START_MS + GRANT.durationMs,
      maxExpiresAtMs: START_MS + DAY_MS,
      maxUses: 2,
      uses: 0,
    });
    expect(lease.closure).toEqual(at.engine.snapshot().config.profiles.get('repo-dev')?.closure);
    expect(at.database.auditTail(1)).toMatchObject([{ action: 'lease.granted', actor: 'person', subject: lease.id }]);
  });

  it('name a peer by label or id in any case, or this machine', () => {
    const peers = ['alpha', 'ALPHA', ALPHA, ALPHA.toUpperCase(), 'self'];
    expect(peers.map((peer) => at.authority.grantLease({ ...GRANT, peer }).peer)).toEqual([
      ALPHA,
      ALPHA,
      ALPHA,
      ALPHA,
      'self',
    ]);
    expect(at.authority.grantLease({ ...GRANT, peer: 'self' }).origin).toBe('self');
    expect(at.authority.grantLease({ ...GRANT, origin: 'carol' }).origin).toBe(GAMMA);
    expect(at.authority.grantLease({ ...GRANT, origin: GAMMA }).origin).toBe(GAMMA);
  });

  it('are refused with what would be right', () => {
    expect(refusal({ peer: 'alpa' })).toEqual(['PEER_UNKNOWN', 'did you mean `alpha`']);
    expect(refusal({ peer: GAMMA })).toEqual(['PEER_UNKNOWN', 'list the peers: writ peer list']);
    expect(refusal({ profile: 'repo-dav' })).toEqual(['PROFILE_UNKNOWN', 'did you mean `repo-dev`']);
    expect(refusal({ profile: '../x' })).toEqual(['PROFILE_UNKNOWN', 'name one of: query, repo-dev, system-change']);
    expect(refusal({ workspaces: ['app', 'none'] })).toEqual(['NOT_FOUND', 'name one of: app, site']);
    expect(refusal({ origin: 'nobody' })).toMatchObject(['PEER_UNKNOWN', expect.stringContaining('[origins]')]);
    expect(refusal({ durationMs: DAY_MS + 1 })).toMatchObject(['BAD_REQUEST', expect.stringContaining('at most 1d')]);
    for (const bad of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect([refusal({ durationMs: bad }), refusal({ maxUses: bad })]).toEqual(WHOLE);
    }
    expect(refusal({ session: '' })?.[0]).toBe('BAD_REQUEST');
    expect(at.authority.listLeases({ includeDead: true })).toEqual([]);
    expect(at.database.auditTail(9)).toEqual([]);
  });

  it('are not lent while the clock stands back', () => {
    at.authority.grantLease(GRANT);
    at.move(-60_001);
    expect(refusal({})?.[0]).toBe('CLOCK_BACKWARDS');
  });

  it('are listed by peer, the dead when asked', () => {
    const first = at.authority.grantLease(GRANT);
    const second = at.authority.grantLease({ ...GRANT, peer: 'self' });
    at.authority.revokeLease(first.id, 'person');
    const ids = (filter: Parameters<Fixture['authority']['listLeases']>[0]) =>
      at.authority.listLeases(filter).map((lease) => lease.id);
    expect(ids({})).toEqual([second.id]);
    expect(ids({ peer: 'alpha', includeDead: true })).toEqual([first.id]);
  });

  it('of a peer that was taken out of the configuration are found by its id', async () => {
    const lease = at.authority.grantLease(GRANT);
    const without = POLICY.replace(/\[peers\.alpha\][\s\S]*?\[origins/, '[origins');
    expect(await at.engine.reload(without, { acceptWidening: true })).toMatchObject({ reloaded: true });
    expect(at.authority.listLeases({ peer: ALPHA }).map((one) => one.id)).toEqual([lease.id]);
    expect(at.authority.listLeases({ peer: GAMMA })).toEqual([]);
    expect(() => at.authority.listLeases({ peer: 'alpha' })).toThrow(/no peer `alpha`/);
  });

  it('are revoked once, and their listeners hear of it after the commit, each of them', () => {
    const lease = at.authority.grantLease(GRANT);
    const heard: string[] = [];
    at.authority.onLeaseRevoked(() => {
      throw new Error('a listener that fails');
    });
    const stop = at.authority.onLeaseRevoked((revoked) => {
      heard.push(revoked.id);
      // A new transaction is possible, and the right is gone in it.
      expect(at.authority.preview(FROM_ALPHA, askFor('repo-dev')).code).toBe('LEASE_REQUIRED');
      expect(revoked.revokedAtMs).toBe(START_MS);
    });
    expect([at.authority.revokeLease(lease.id, 'person'), at.authority.revokeLease(lease.id, 'person')]).toEqual([
      true,
      false,
    ]);
    stop();
    at.authority.revokeLease(at.authority.grantLease(GRANT).id, 'person');
    expect(heard).toEqual([lease.id]);
    expect(() => at.authority.revokeLease('none', 'person')).toThrow(/no lease `none`/);
  });

  it('are swept away with old request counts once they have been dead for thirty days', () => {
    at.authority.grantLease(GRANT);
    at.database.withWriteTx((tx) => at.authority.decide(tx, FROM_ALPHA, askFor('query')));
    expect(at.authority.sweep()).toEqual({ leases: 0, requests: 0 });
    at.move(31 * DAY_MS);
    expect(at.authority.sweep()).toEqual({ leases: 1, requests: 1 });
  });

  it('leave a row of everything that was lent, and of a renewal with its end before', () => {
    const lease = at.authority.grantLease({ ...GRANT, workspaces: ['app'], maxUses: 2, session: 's1' });
    const { peer, origin, closure, expiresAtMs } = lease;
    expect(at.database.auditTail(1)).toMatchObject([
      {
        ...{ kind: 'lease', action: 'lease.granted', actor: 'person', subject: lease.id },
        details: {
          peer,
          origin,
          session: 's1',
          profile: 'repo-dev',
          closure,
          workspaces: ['app'],
          expiresAtMs,
          maxUses: 2,
        },
      },
    ]);
    at.authority.grantLease(GRANT);
    expect(at.database.auditTail(1)).toMatchObject([{ details: { session: null, maxUses: null } }]);
    const renewed = at.authority.renewLease(lease.id, { durationMs: 2 * GRANT.durationMs }, 'ap-1');
    expect(renewed.expiresAtMs).toBe(expiresAtMs + GRANT.durationMs);
    expect(at.database.auditTail(1)).toMatchObject([
      {
        ...{ kind: 'lease', action: 'lease.renewed', actor: 'ap-1', subject: lease.id },
        details: { expiresAtMs: renewed.expiresAtMs, before: expiresAtMs },
      },
    ]);
    at.authority.revokeLease(lease.id, 'ap-1');
    expect(at.database.auditTail(1)).toMatchObject([
      { kind: 'lease', action: 'lease.revoked', actor: 'ap-1', subject: lease.id },
    ]);
  });

  it('are neither lent nor renewed while the clock stands back, which is said with what to do', () => {
    const { id } = at.authority.grantLease(GRANT);
    at.move(-60_001);
    const nextSteps = ['set the clock right', 'or accept it as it is, which ends all leases'];
    for (const [work, what] of [
      [() => at.authority.grantLease(GRANT), 'lent'],
      [() => at.authority.renewLease(id, { durationMs: 2 * GRANT.durationMs }, 'person'), 'renewed'],
    ] as const) {
      const message = `the clock of this node went back, so that no lease can be ${what}`;
      expect(work).toThrow(expect.objectContaining({ code: 'CLOCK_BACKWARDS', message, nextSteps }));
    }
  });

  it('are not found under an id that is none, and revoking says where to look', () => {
    expect(() => at.authority.revokeLease('none', 'person')).toThrow(
      expect.objectContaining({
        ...{ code: 'NOT_FOUND', message: 'no lease `none`', nextSteps: ['list them: writ lease list'] },
      }),
    );
  });

  it('are told of after the commit of the grant, whoever lent, and not where that failed', () => {
    const heard: string[] = [];
    const stop = at.authority.onLeaseLent(({ id }) => heard.push(id));
    const lease = at.authority.grantLease(GRANT);
    expect(heard).toEqual([lease.id]);
    at.database.withWriteTx((tx) => {
      at.authority.tellLent(tx, lease);
      expect(heard).toHaveLength(1);
    });
    expect(heard).toEqual([lease.id, lease.id]);
    expect(() =>
      at.database.withWriteTx((tx) => {
        at.authority.tellLent(tx, lease);
        throw new Error('rolled back');
      }),
    ).toThrow('rolled back');
    stop();
    at.authority.grantLease(GRANT);
    expect(heard).toHaveLength(2);
  });

  it('all end where a clock is accepted, the expired ones too, and those that had ended are not counted', () => {
    const [short, long, gone] = [
      at.authority.grantLease({ ...GRANT, durationMs: 1000 }),
      at.authority.grantLease(GRANT),
      at.authority.grantLease(GRANT),
    ];
    at.authority.revokeLease(gone.id, 'person');
    at.move(2000);
    const heard: string[] = [];
    at.authority.onLeaseRevoked(({ id }) => heard.push(id));
    expect(at.database.withWriteTx((tx) => at.authority.endLeases(tx, 'person'))).toBe(2);
    expect(heard.sort()).toEqual([short.id, long.id].sort());
    expect(at.authority.listLeases({})).toEqual([]);
  });

  it('are listed of this machine, and of a peer by its label first, even where that looks like an id', async () => {
    const own = at.authority.grantLease({ ...GRANT, peer: 'self' });
    expect(at.authority.listLeases({ peer: 'self' }).map(({ id }) => id)).toEqual([own.id]);
    expect(at.authority.listLeases({ peer: ALPHA.toUpperCase() })).toEqual([]);
    expect(at.authority.listLeases({ peer: GAMMA.toUpperCase() })).toEqual([]);
    expect(() => at.authority.listLeases({ peer: `x${GAMMA}` })).toThrow(/no peer/);
  });
});
