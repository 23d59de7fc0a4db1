import type { ReadTx } from '@writ/database';
import type { Execution } from '@writ/lease-store';
import type { Refusal } from '../record-types.ts';
import { beyondGrant } from './grant-shown.ts';
import { missingRight } from './needs.ts';
import { type ExecutionParts, rightsQueryOf } from './propose.ts';
import type { Rights, Withdrawn } from './types.ts';

/**
 * Commands that run and have lost what they started with.
 * INVARIANT: 2 what a reload or a person takes away ends what runs by it.
 */
export function withdrawnOf(parts: ExecutionParts, tx: ReadTx): readonly Withdrawn[] {
  const running = parts.executions.listIn(tx, 'running', { limit: Number.MAX_SAFE_INTEGER });
  return running.flatMap((execution) => {
    const refusal =
      leaseRefusal(parts, tx, execution.lease) ??
      rightRefusal(parts.rights.look(tx, rightsQueryOf(execution)), execution);
    return refusal === undefined ? [] : [{ execution, refusal }];
  });
}

function rightRefusal(rights: Rights, execution: Execution): Refusal | undefined {
  const refusal = missingRight(rights, execution) ?? beyondGrant(rights, execution);
  // Its own lease is what counts, which may have had one use only: that there is no other one takes nothing away. One
  // that started without a lease has none to count.
  return refusal?.code === 'LEASE_REQUIRED' && execution.lease !== undefined ? undefined : refusal;
}

/** INVARIANT: 4 expiry has no grace, for what runs either. */
function leaseRefusal({ leases, database }: ExecutionParts, tx: ReadTx, id: string | undefined): Refusal | undefined {
  if (id === undefined) return undefined;
  const lease = leases.get(tx, id);
  if (lease === undefined || lease.revokedAtMs !== undefined) {
    return { code: 'LEASE_REVOKED', message: 'the lease that it started with was taken back', nextSteps: [] };
  }
  if (lease.expiresAtMs > database.nowMs()) return undefined;
  return { code: 'LEASE_EXPIRED', message: 'the lease that it started with has ended', nextSteps: [] };
}
