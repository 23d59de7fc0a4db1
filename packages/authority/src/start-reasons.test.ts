import type { LeaseStore } from '@writ/lease-store';
import type { Decision } from '@writ/policy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withdrawalCode } from './start.ts';
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
import type { ApprovalLack, Ask, StartPermit, Subject } from './types.ts';

const HOUR_MS = 3_600_000;
/** A profile that a person is asked about each time, beside its lease. */
const ASKED = POLICY.replace('timeout = "30m"', 'timeout = "30m"\nrequire_approval = true');

let at: Fixture;
type Bounds = Parameters<Fixture['authority']['permitStart']>[3];
const start = (bounds: Bounds = {}, ask: Ask = askFor('repo-dev'), subject: Subject = FROM_ALPHA): StartPermit =>
  at.database.withWriteTx((tx) => at.authority.permitStart(tx, subject, ask, bounds));
const refusal = (permit: StartPermit) => (permit.permitted ? 'permitted' : [permit.code, permit.message]);
const uses = () => at.authority.listLeases({ includeDead: true }).map((lease) => lease.uses);
const reload = async (text: string) => {
  expect(await at.engine.reload(text, { acceptWidening: true })).toMatchObject({ reloaded: true });
};

beforeEach(async () => {
  at = await createFixture();
});
afterEach(() => at.database.close());

describe('a start that a person has to say yes to', () => {
  beforeEach(async () => {
    await reload(ASKED);
    at.authority.grantLease(GRANT);
  });

  it('uses the yes to exactly what the decision leads to, and claims the lease', () => {
    const seen: Decision[] = [];
    const permit = start({
      useApproval(decision) {
        seen.push(decision);
        return undefined;
      },
    });
    expect(permit).toMatchObject({ permitted: true, decision: { effect: 'allow' } });
    expect([seen, uses()]).toEqual([[permit.decision], [1]]);
  });

  it.each<[ApprovalLack, string]>([
    ['APPROVAL_REQUIRED', 'a person has to approve it, and none has'],
    ['CHANGED_SINCE_APPROVAL', 'what would run is not what a person has approved: ask again'],
    ['EXPIRED', 'it was approved too long ago, or the yes was used'],
  ])('is refused with %s where the yes does not serve, and leaves the lease alone', (lack, message) => {
    const permit = start({ useApproval: () => lack });
    expect([refusal(permit), permit.decision.effect, uses()]).toEqual([[lack, message], 'ask', [0]]);
    expect(at.database.auditTail(1)).toMatchObject([
      { action: 'start.refused', details: { effect: 'ask', code: 'APPROVAL_REQUIRED' } },
    ]);
  });

  it('is refused where nobody brings a yes', () => {
    expect(refusal(start())).toEqual(['APPROVAL_REQUIRED', 'a person has to approve it, and none has']);
  });

  it('asks for no yes where something else is missing, nor where none is needed', () => {
    let asked = 0;
    const useApproval = () => {
      asked += 1;
      return undefined;
    };
    for (const { id } of at.authority.listLeases({})) at.authority.revokeLease(id, 'person');
    expect(refusal(start({ useApproval }))).toEqual(['LEASE_REVOKED', 'its lease was revoked']);
    expect(start({ useApproval }, askFor('query')).permitted).toBe(true);
    expect(asked).toBe(0);
  });

  it('asks for no yes while a lease has to be asked for first', async () => {
    await reload(ASKED.replace('accept_origins', 'may_request_lease = true\naccept_origins'));
    for (const { id } of at.authority.listLeases({})) at.authority.revokeLease(id, 'person');
    const useApproval = () => 'EXPIRED' as const;
    expect(refusal(start({ useApproval }))).toEqual(['LEASE_REVOKED', 'its lease was revoked']);
  });

  it('uses no yes after the end of its writ', () => {
    const useApproval = () => {
      throw new Error('it was used');
    };
    expect(refusal(start({ useApproval, writExpiresAtMs: START_MS }))).toEqual([
      'WRIT_EXPIRED',
      'the writ that it came with has ended',
    ]);
    expect(start({ writExpiresAtMs: START_MS + 1 }, askFor('query')).permitted).toBe(true);
  });
});

describe('the reason of a start that is refused', () => {
  const clock =
    'the clock of the executing node went back: nothing that is limited in time counts until it is right, or its person accepts it';
  const wrapped = async (change: Partial<LeaseStore>) => {
    at.database.close();
    at = await createFixture({ leases: (real) => ({ ...real, ...change }) });
    at.authority.grantLease(GRANT);
  };

  it('is the end of its lease, or that it was taken back, of whichever was lent last', () => {
    at.authority.grantLease(GRANT);
    at.move(HOUR_MS);
    expect(refusal(start())).toEqual(['LEASE_EXPIRED', 'its lease has ended']);
    at.authority.revokeLease(at.authority.grantLease(GRANT).id, 'person');
    expect(refusal(start())).toEqual(['LEASE_REVOKED', 'its lease was revoked']);
  });

  it('is none of a lease of another origin, session or profile', () => {
    const revoked = (change: object) => {
      at.authority.revokeLease(at.authority.grantLease({ ...GRANT, ...change }).id, 'person');
    };
    for (const change of [{ origin: 'carol' }, { session: 's2' }, { profile: 'system-change' }, { peer: 'self' }]) {
      revoked(change);
      expect(refusal(start())).toMatchObject(['LEASE_REQUIRED', expect.stringContaining('needs a lease')]);
    }
    revoked({ session: 's1' });
    expect(refusal(start())).toMatchObject(['LEASE_REVOKED', expect.anything()]);
    const behind = { from: ALPHA, origin: GAMMA, session: 's9' };
    expect(refusal(start({}, askFor('repo-dev', { chain: [GAMMA, ALPHA] }), behind))).toMatchObject([
      'LEASE_REVOKED',
      expect.anything(),
    ]);
  });

  it('is the clock, where it stands back', () => {
    at.authority.grantLease(GRANT);
    at.move(-60_001);
    expect(refusal(start())).toEqual(['CLOCK_BACKWARDS', clock]);
    expect(refusal(start({ writExpiresAtMs: START_MS + HOUR_MS }, askFor('query')))).toEqual([
      'CLOCK_BACKWARDS',
      clock,
    ]);
  });

  it.each([
    ['missing', 'LEASE_REQUIRED'],
    ['revoked', 'LEASE_REVOKED'],
    ['expired', 'LEASE_EXPIRED'],
    ['used-up', 'LEASE_REQUIRED'],
    ['clock-backwards', 'CLOCK_BACKWARDS'],
  ] as const)('is what the claim found (%s) where the lease went between decision and claim', async (refused, code) => {
    await wrapped({ claimUse: () => ({ claimed: false, refusal: refused }) });
    expect(start()).toMatchObject({ permitted: false, code });
    expect(at.database.auditTail(1)).toMatchObject([{ action: 'start.refused' }]);
  });

  it.each<[Decision['code'], string]>([
    ...(
      [
        ...['PEER_UNKNOWN', 'PEER_DISABLED', 'ORIGIN_NOT_ACCEPTED', 'CHAIN_CYCLE', 'CHAIN_MISMATCH', 'CHAIN_TOO_DEEP'],
      ] as Decision['code'][]
    ).map((code): [Decision['code'], string] => [code, 'TRUST_REVOKED']),
    ['PROFILE_NOT_ALLOWED', 'PROFILE_NOT_ALLOWED'],
    ['WORKSPACE_NOT_ALLOWED', 'PROFILE_NOT_ALLOWED'],
    ['LIMIT_EXCEEDED', 'PROFILE_NOT_ALLOWED'],
  ])('of %s is %s for what was admitted', async (code, expected) => {
    const decision = { ...at.authority.preview(FROM_ALPHA, askFor('query')), effect: 'deny' as const, code };
    expect(withdrawalCode(decision)).toBe(expected);
    at.database.close();
    at = await createFixture({ engine: (real) => ({ ...real, decide: () => decision }) });
    expect(start()).toMatchObject({ permitted: false, code: expected, message: decision.message });
  });
});

describe('a start that the engine allows without a lease', () => {
  it('is refused where the profile needs one, and where there is no such profile', async () => {
    for (const effectiveProfile of ['repo-dev', 'nothing', undefined]) {
      at.database.close();
      at = await createFixture({
        engine: (real) => ({
          ...real,
          decide: (request) => ({ ...real.decide({ ...request, profile: 'query' }), effectiveProfile }),
        }),
      });
      expect(start()).toMatchObject({ permitted: false, code: 'LEASE_REQUIRED' });
    }
  });
});

describe('a start that the engine allows without a grant', () => {
  it('is refused', async () => {
    at.database.close();
    at = await createFixture({
      engine: (real) => ({
        ...real,
        decide: (request) => ({ ...real.decide({ ...request, profile: 'query' }), grant: undefined }),
      }),
    });
    expect(start().permitted).toBe(false);
  });
});

describe('how many starts are left', () => {
  const left = (ask: Ask = askFor('repo-dev')) =>
    at.database.withReadTx((tx) => at.authority.usesLeft(tx, FROM_ALPHA, ask));

  it('is the sum of what covers it, without end where one has no count, or none is needed', () => {
    expect(left(askFor('query'))).toBe(Number.POSITIVE_INFINITY);
    at.authority.grantLease({ ...GRANT, maxUses: 3 });
    at.authority.grantLease({ ...GRANT, maxUses: 2, workspaces: ['app'] });
    at.authority.grantLease({ ...GRANT, maxUses: 9, workspaces: ['site'] });
    expect(left()).toBe(5);
    start();
    expect(left()).toBe(4);
    at.authority.grantLease(GRANT);
    expect(left()).toBe(Number.POSITIVE_INFINITY);
  });
});
