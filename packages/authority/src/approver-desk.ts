import { quote, WritError } from '@writ/core';
import type { WriteTx } from '@writ/database';
import type { Approver } from '@writ/lease-store';
import type { RecordParts } from './record-types.ts';

/** Who answers on this node. Changes work inside the caller's transaction: that of the yes to them, after the first. */
export interface ApproverDesk {
  /**
   * Enrols the first approver; any further one is a question of kind `policy` to those who are there, and `endorsedBy` the
   * one who said yes. Throws NOT_APPROVER where there is one and nobody of them said yes, CONFLICT for a key that was
   * enrolled before. The caller has checked that the key is one.
   */
  enroll(tx: WriteTx, approver: Pick<Approver, 'id' | 'kind' | 'publicKey' | 'label'>, endorsedBy?: string): void;
  /**
   * Ends with it what rests on its yes and has not started: windows, and yeses that were not used. Leases stay until they
   * end or are revoked. False where it was removed before or does not exist. Throws NOT_APPROVER where `by` is
   * none of those who are there.
   */
  remove(tx: WriteTx, id: string, by: string): boolean;
  /** In order of enrolment. */
  list(): readonly Approver[];
}

/** `onRemoved`: what was given by one who is none any more, in the transaction of the removal. */
export function createApproverDesk(
  { database, approvers, engine }: Pick<RecordParts, 'database' | 'approvers' | 'engine'>,
  onRemoved: (tx: WriteTx, id: string, by: string) => void,
): ApproverDesk {
  const isActive = (tx: WriteTx, id: string | undefined): boolean =>
    // A terminal counts where the configuration says so, as for any other answer.
    (id === 'terminal' && engine.snapshot().config.approvals.mode === 'terminal') ||
    approvers.listActive(tx).some((approver) => approver.id === id);
  return {
    enroll(tx, approver, endorsedBy) {
      // Whoever can enrol beside a person can answer for that person.
      if (approvers.listActive(tx).length > 0 && !isActive(tx, endorsedBy)) throw notApprover('another approver');
      if (!approvers.enroll(tx, approver)) {
        throw new WritError('CONFLICT', `the key ${quote(approver.id)} was enrolled before`, {
          nextSteps: ['enrol with a new key'],
        });
      }
      const actor = endorsedBy ?? 'person';
      const details = { kind: approver.kind, label: approver.label };
      tx.audit({ kind: 'approver', action: 'approver.enrolled', actor, subject: approver.id, details });
    },
    remove(tx, id, by) {
      if (!isActive(tx, by)) throw notApprover('the removal of one');
      if (!approvers.remove(tx, id)) return false;
      tx.audit({ kind: 'approver', action: 'approver.removed', actor: by, subject: id });
      onRemoved(tx, id, by);
      return true;
    },
    list: () => database.withReadTx((tx) => approvers.listActive(tx)),
  };
}

function notApprover(what: string): WritError {
  return new WritError('NOT_APPROVER', `an approver of this node has to say yes to ${what}`, {
    nextSteps: ['ask that person'],
  });
}
