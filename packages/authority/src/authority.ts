import { foldId } from '@writ/core';
import { auditDecision, decideNow, usageOf } from './deciding.ts';
import { createLeaseDesk } from './lease-desk.ts';
import { leaseCovers } from './lease-facts.ts';
import { NO_USAGE, permitStart } from './start.ts';
import type { Authority, AuthorityOptions } from './types.ts';

/** May this happen now: one instance a node, beside its one policy engine. */
export function createAuthority(options: AuthorityOptions): Authority {
  const { database, leases, requestLog } = options;
  const decideStart: Authority['decideStart'] = (tx, subject, ask, approved = false) =>
    decideNow(options, tx, { subject, ask, usage: NO_USAGE, approved }).decision;
  return {
    ...createLeaseDesk(options),
    decide(tx, subject, ask) {
      const { decision } = decideNow(options, tx, { subject, ask, usage: usageOf(options, tx, subject) });
      // Refused requests count too: asking is what is limited.
      requestLog.record(tx, foldId(subject.from));
      auditDecision(tx, `decision.${decision.effect}`, { subject, ask, decision });
      return decision;
    },
    preview: (subject, ask) =>
      database.withReadTx(
        (tx) => decideNow(options, tx, { subject, ask, usage: usageOf(options, tx, subject) }).decision,
      ),
    previewStart: (subject, ask, approved) => database.withReadTx((tx) => decideStart(tx, subject, ask, approved)),
    decideStart,
    permitStart: (tx, subject, ask, bounds) => permitStart(options, tx, { subject, ask, bounds }),
    usesLeft(tx, subject, ask) {
      const { decision, leases: live } = decideNow(options, tx, { subject, ask, usage: NO_USAGE, approved: true });
      if (decision.leaseId === undefined) return Number.POSITIVE_INFINITY;
      return live
        .filter((lease) => leaseCovers(lease, decision, ask.workspace))
        .reduce((sum, { maxUses = Number.POSITIVE_INFINITY, uses }) => sum + maxUses - uses, 0);
    },
    returnClaim(tx, leaseId) {
      leases.returnUse(tx, leaseId);
      tx.audit({ kind: 'lease', action: 'lease.use-returned', actor: 'node', subject: leaseId });
    },
  };
}
