import type { ReadTx } from '@writ/database';
import type { Refusal } from '../record-types.ts';
import { missingRight } from './needs.ts';
import { type ExecutionParts, rightsQueryOf } from './propose.ts';
import type { Withdrawn } from './types.ts';

/**
 * Commands that run and have lost what they started with.
 * INVARIANT: 2 what a reload or a person takes away ends what runs by it.
 */
export function withdrawnOf(parts: ExecutionParts, tx: ReadTx): readonly Withdrawn[] {
  const running = parts.executions.listIn(tx, 'running', { limit: Number.MAX_SAFE_INTEGER });
  return running.flatMap((execution) => {
    const refusal =
      leaseRefusal(parts, tx, execution.lease) ??
      missingRight(parts.rights.look(tx, rightsQueryOf(execution)), execution);
    // Its own lease is what counts, which may have had one use only: that there is no other one takes nothing away.
    return refusal === undefined || refusal.code === 'LEASE_REQUIRED' ? [] : [{ execution, refusal }];
  });
}

function leaseRefusal({ leases }: ExecutionParts, tx: ReadTx, id: string | undefined): Refusal | undefined {
  if (id === undefined) return undefined;
  const lease = leases.get(tx, id);
  if (lease !== undefined && lease.revokedAtMs === undefined) return undefined;
  return { code: 'LEASE_REVOKED', message: 'the lease that it started with was taken back', nextSteps: [] };
}
