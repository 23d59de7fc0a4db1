import { WritError } from '@writ/core';
import { verifyReceipt } from '@writ/evidence';
import type { ExecutorParts } from '../parts.ts';

/**
 * Stores what the sender of a task signed for; a second receipt changes nothing. Throws NOT_FOUND, EVIDENCE_INVALID where
 * it is another node's, or for another result than the one that this node has signed.
 */
export function acknowledgeResult(parts: ExecutorParts, id: string, envelope: Uint8Array): void {
  const { database, journal, evidence } = parts;
  const { sender: known } = database.withReadTx((tx) => journal.require(tx, id));
  const { signer, receipt } = verifyReceipt(envelope, parts.clock.nowMs(), parts.evidence.trust.signers);
  const sender = known === 'self' ? evidence.identity.public.id : known;
  // INVARIANT: 10 a receipt counts where the one who asked for the task has signed it.
  if (signer !== sender) throw refuse('it is signed by another node than the one that asked for the task');
  if (receipt.task !== id) throw refuse('it is for another task');
  database.withWriteTx((tx) => {
    const { outcome } = journal.require(tx, id);
    if (outcome?.result === undefined || receipt.result !== outcome.result) throw refuse('it is for another result');
    if (!evidence.results.putReceipt(tx, { task: id, result: receipt.result, bytes: envelope })) return;
    const details = { result: receipt.result, receivedAtMs: receipt.receivedAtMs };
    tx.audit({ kind: 'task', action: 'task.result-received', actor: known, subject: id, details });
  });
}

function refuse(why: string): WritError {
  return new WritError('EVIDENCE_INVALID', `the receipt is not taken: ${why}`, { details: { check: 'receipt' } });
}
