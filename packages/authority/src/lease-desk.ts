import { createListeners, foldId, quote, WritError } from '@writ/core';
import type { WriteTx } from '@writ/database';
import type { Lease } from '@writ/lease-store';
import { isConfigured, planLease, planRenewal, resolvePeer } from './lease-granting.ts';
import type { Authority, AuthorityOptions, LeaseGrant, LeaseSpan } from './types.ts';

/** Most rows that one sweep removes of each kind; more wait for the next hour. */
const SWEEP_LIMIT = 1000;

/** What can only be a node id that is no label of this configuration. */
const NODE_ID = /^wn-/i;

/** What a person does with leases. */
export type LeaseDesk = Pick<
  Authority,
  | 'grantLease'
  | 'grantLeaseIn'
  | 'renewLease'
  | 'listLeases'
  | 'revokeLease'
  | 'onLeaseRevoked'
  | 'onLeaseLent'
  | 'tellLent'
  | 'endLeases'
  | 'endLeasesOf'
  | 'sweep'
>;

export function createLeaseDesk(options: AuthorityOptions): LeaseDesk {
  const { database, engine, leases, logger, requestLog } = options;
  const revocations = createListeners<Lease>(logger, 'lease revocations');
  const grants = createListeners<Lease>(logger, 'grants of leases');
  const tellLent = (tx: WriteTx, lease: Lease): void => tx.afterCommit(() => grants.tell(lease));

  function revoke(tx: WriteTx, id: string, by: string): boolean {
    if (!leases.revoke(tx, id)) return false;
    tx.audit({ kind: 'lease', action: 'lease.revoked', actor: by, subject: id });
    const revoked = leases.get(tx, id);
    if (revoked) tx.afterCommit(() => revocations.tell(revoked));
    return true;
  }

  const grantLeaseIn: LeaseDesk['grantLeaseIn'] = (tx, grant) => {
    const lease = grantIn(options, tx, grant, options.random.uuid());
    tellLent(tx, lease);
    return lease;
  };

  return {
    grantLease: (grant) => database.withWriteTx((tx) => grantLeaseIn(tx, grant)),
    grantLeaseIn,
    renewLease: (id, span, by) => database.withWriteTx((tx) => renewIn(options, tx, { ...span, lease: id, by })),
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
    onLeaseRevoked: (listener) => revocations.add(listener),
    onLeaseLent: (listener) => grants.add(listener),
    tellLent,
    // INVARIANT: 4 under a lower clock an expired lease would look alive again, so the expired ones end too.
    endLeases: (tx, by) =>
      leases.list(tx, { includeDead: true, nowMs: tx.nowMs }).filter(({ id }) => revoke(tx, id, by)).length,
    endLeasesOf(tx, peer, by) {
      for (const { id } of leases.list(tx, { peer, nowMs: tx.nowMs, includeDead: false })) revoke(tx, id, by);
    },
    sweep: () =>
      database.withWriteTx(({ forRemoval }) =>
        forRemoval === undefined
          ? { leases: 0, requests: 0 }
          : { leases: leases.prune(forRemoval, SWEEP_LIMIT), requests: requestLog.prune(forRemoval, SWEEP_LIMIT) },
      ),
  };
}

/** Lends in the caller's transaction, under this id; see `Authority.grantLease`. */
export function grantIn(
  { engine, leases }: Pick<AuthorityOptions, 'engine' | 'leases'>,
  tx: WriteTx,
  grant: LeaseGrant,
  id: string,
): Lease {
  if (tx.clockIsBackwards) throw clockBackwards('lent');
  const lease = leases.insert(tx, planLease(engine.snapshot().config, grant, { id, nowMs: tx.nowMs }));
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

/** Moves the end of a live lease on, in the caller's transaction; throws what `planRenewal` throws, CLOCK_BACKWARDS too. */
export function renewIn(
  { leases }: Pick<AuthorityOptions, 'leases'>,
  tx: WriteTx,
  renewal: LeaseSpan & { readonly lease: string; readonly by: string },
): Lease {
  if (tx.clockIsBackwards) throw clockBackwards('renewed');
  const { lease, expiresAtMs } = planRenewal(leases.get(tx, renewal.lease), renewal, tx.nowMs);
  const renewed = leases.renew(tx, lease, expiresAtMs);
  if (renewed === undefined) throw new WritError('CONFLICT', 'the lease changed while it was renewed');
  tx.audit({
    kind: 'lease',
    action: 'lease.renewed',
    actor: renewal.by,
    subject: lease.id,
    details: { expiresAtMs, before: lease.expiresAtMs },
  });
  return renewed;
}

function clockBackwards(what: string): WritError {
  return new WritError('CLOCK_BACKWARDS', `the clock of this node went back, so that no lease can be ${what}`, {
    nextSteps: ['set the clock right', 'or accept it as it is, which ends all leases'],
  });
}
