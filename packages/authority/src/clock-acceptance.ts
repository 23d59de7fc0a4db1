import { WritError } from '@writ/core';
import type { Database, WriteTx } from '@writ/database';
import type { InviteStore } from '@writ/lease-store';
import type { Approvals } from './approvals/types.ts';
import type { Executions } from './executions/types.ts';
import type { Authority } from './types.ts';
import type { Windows } from './windows/windows.ts';

/** What ends with a clock that is accepted. */
export interface TimeLimited {
  readonly database: Pick<Database, 'withWriteTx' | 'acceptClockIn'>;
  readonly authority: Pick<Authority, 'endLeases'>;
  readonly invites: Pick<InviteStore, 'endAll'>;
  readonly approvals: Pick<Approvals, 'endAll'>;
  readonly windows: Pick<Windows, 'closeAll'>;
  readonly executions: Pick<Executions, 'endWaiting'>;
}

/** Accepts a clock that went back. */
export interface ClockAcceptance {
  /** In a transaction of its own; see `Gate.acceptClock`. */
  accept(by: string): number;
  /** In that of a person's yes to it. */
  acceptIn(tx: WriteTx, by: string): number;
}

/**
 * INVARIANT: 4, 5, 6 under a lower clock whatever has run out would look as if it had not, so that all of it ends, and by
 * the same ways as ever: what waits for it hears of it, and each has its row in the trail.
 */
export function createClockAcceptance(parts: TimeLimited): ClockAcceptance {
  const { database, authority, invites, approvals, windows, executions } = parts;
  const acceptIn = (tx: WriteTx, by: string): number => {
    let leases = 0;
    database.acceptClockIn(tx, by, () => {
      if (!tx.clockIsBackwards) throw notBack();
      leases = authority.endLeases(tx, by);
      windows.closeAll(tx);
      executions.endWaiting(tx);
      approvals.endAll(tx, by);
      for (const id of invites.endAll(tx)) {
        tx.audit({ kind: 'invite', action: 'invite.ended', actor: by, subject: id });
      }
    });
    return leases;
  };
  return { acceptIn, accept: (by) => database.withWriteTx((tx) => acceptIn(tx, by)) };
}

/** It would end every right of the node, which nobody but their owners may. */
function notBack(): WritError {
  return new WritError('CONFLICT', 'the clock of this node has not gone back', {
    nextSteps: ['nothing has to be accepted', 'end a single lease with writ lease revoke'],
  });
}
