import { foldId, quote, toWritError, WritError } from '@writ/core';
import type { WriteTx } from '@writ/database';
import type { Lease } from '@writ/lease-store';
import { isConfigured, planLease, resolvePeer } from './lease-granting.ts';
import type { Authority, AuthorityOptions, LeaseGrant } from './types.ts';

/** Most rows that one sweep removes of each kind; more wait for the next hour. */
const SWEEP_LIMIT = 1000;

/** What can only be a node id that is no label of this configuration. */
const NODE_ID = /^wn-/i;

/** What a person does with leases. */
export type LeaseDesk = Pick<
  Authority,
  'grantLease' | 'listLeases' | 'revokeLease' | 'onLeaseRevoked' | 'acceptClock' | 'sweep'
>;

export function createLeaseDesk(options: AuthorityOptions): LeaseDesk {
  const { database, engine, invites, leases, logger, requestLog } = options;
  const listeners = new Set<(lease: Lease) => void>();

  function notify(lease: Lease): void {
    for (const listener of [...listeners]) {
      try {
        listener(lease);
      } catch (error) {
        logger.error('a listener of lease revocations failed', { lease: lease.id, error: toWritError(error).message });
      }
    }
  }

  function revoke(tx: WriteTx, id: string, by: string): boolean {
    if (!leases.revoke(tx, id)) return false;
    tx.audit({ kind: 'lease', action: 'lease.revoked', actor: by, subject: id });
    const revoked = leases.get(tx, id);
    if (revoked) tx.afterCommit(() => notify(revoked));
    return true;
  }

  return {
    grantLease: (grant) => database.withWriteTx((tx) => grantIn(options, tx, grant)),
    listLeases({ peer, includeDead = false }) {
      const list = (id?: string): readonly Lease[] =>
        database.withReadTx((tx) =>
          leases.list(tx, { nowMs: database.nowMs(), includeDead, ...(id === undefined ? {} : { peer: id }) }),
        );
      if (peer === undefined) return list();
      // A peer that was taken out of the configuration may hold leases still; they are found by its id.
      const { config } = engine.snapshot();
      return list(isConfigured(config, peer) || !NODE_ID.test(peer) ? resolvePeer(config, peer) : foldId(peer));
    },
    revokeLease(id, by) {
      return database.withWriteTx((tx) => {
        if (revoke(tx, id, by)) return true;
        if (leases.get(tx, id)) return false;
        throw new WritError('NOT_FOUND', `no lease ${quote(id)}`, { nextSteps: ['list them: writ lease list'] });
      });
    },
    onLeaseRevoked(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    acceptClock(by) {
      let ended = 0;
      database.acceptClock((tx) => {
        // INVARIANT: 4 under a lower clock an expired lease would look alive again, so the expired ones end too.
        for (const lease of leases.list(tx, { includeDead: true, nowMs: tx.nowMs })) {
          if (revoke(tx, lease.id, by)) ended += 1;
        }
        const closed = invites.endAll(tx);
        if (closed > 0) tx.audit({ kind: 'lease', action: 'invite.ended', actor: by, details: { count: closed } });
      });
      return ended;
    },
    sweep: () =>
      database.withWriteTx((tx) => ({
        leases: leases.prune(tx, SWEEP_LIMIT),
        requests: requestLog.prune(tx, SWEEP_LIMIT),
      })),
  };
}

function grantIn({ engine, leases, random }: AuthorityOptions, tx: WriteTx, grant: LeaseGrant): Lease {
  if (tx.clockIsBackwards) {
    throw new WritError('CLOCK_BACKWARDS', 'the clock of this node went back, so that no lease can be lent', {
      nextSteps: ['set the clock right', 'or accept it as it is, which ends all leases'],
    });
  }
  const lease = leases.insert(tx, planLease(engine.snapshot().config, grant, { id: random.uuid(), nowMs: tx.nowMs }));
  tx.audit({
    kind: 'lease',
    action: 'lease.granted',
    actor: grant.issuedBy,
    subject: lease.id,
    details: {
      peer: lease.peer,
      origin: lease.origin,
      session: lease.session ?? null,
      profile: lease.profile,
      closure: lease.closure,
      workspaces: lease.workspaces,
      expiresAtMs: lease.expiresAtMs,
      maxUses: lease.maxUses ?? null,
    },
  });
  return lease;
}
