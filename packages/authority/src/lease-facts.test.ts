import type { Lease } from '@writ/lease-store';
import type { Decision } from '@writ/policy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { factOf, findLeases, leaseCovers } from './lease-facts.ts';
import { ALPHA, askFor, createFixture, type Fixture, FROM_ALPHA, GRANT } from './testing/lease-fixture.ts';

describe('the leases of a subject', () => {
  let at: Fixture;
  beforeEach(async () => {
    at = await createFixture();
  });
  afterEach(() => at.database.close());

  it('are those without a count first, the longest-lived first of each, whenever they were lent', () => {
    const lend = (minutes: number, maxUses?: number) =>
      at.authority.grantLease({
        ...{ ...GRANT, durationMs: minutes * 60_000 },
        ...(maxUses === undefined ? {} : { maxUses }),
      }).id;
    const ids = [lend(50, 1), lend(10), lend(40, 5), lend(30), lend(60, 2), lend(20)];
    const found = at.database.withReadTx((tx) => findLeases(at.leases, tx, FROM_ALPHA, at.database.nowMs()));
    expect(found.map(({ id }) => ids.indexOf(id))).toEqual([3, 5, 1, 4, 0, 2]);
  });

  it('are seen by policy without who has them and how often they were used', () => {
    const lease = at.authority.grantLease(GRANT);
    const { id, profile, closure, workspaces, expiresAtMs } = lease;
    expect(factOf(lease)).toEqual({ id, profile, closure, workspaces, expiresAtMs });
  });

  describe('cover what was decided', () => {
    const covers = (lease: Partial<Lease>, workspace?: string, change: Partial<Decision> = {}) => {
      const lent = at.authority.grantLease(GRANT);
      const decision = { ...at.authority.preview(FROM_ALPHA, askFor('repo-dev')), ...change };
      return leaseCovers({ ...lent, ...lease }, decision, workspace);
    };

    it('in every workspace where they name none, and else in those alone, in any case', () => {
      expect([covers({}), covers({}, 'app'), covers({}, 'none')]).toEqual([true, true, true]);
      const workspaces = ['app', 'site'];
      expect([covers({ workspaces }, 'app'), covers({ workspaces }, 'APP'), covers({ workspaces }, 'Site')]).toEqual([
        ...[true, true, true],
      ]);
      expect([covers({ workspaces }, 'other'), covers({ workspaces })]).toEqual([false, false]);
    });

    it('by name and with all that the profile holds now', () => {
      expect(covers({ profile: 'system-change' })).toBe(false);
      expect(covers({ closure: ['read_repo'] })).toBe(false);
      expect(covers({ peer: ALPHA, closure: [] })).toBe(false);
      expect(covers({}, 'app', { grant: undefined })).toBe(false);
    });
  });
});
