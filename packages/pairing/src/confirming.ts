import { quote, toWritError, WritError } from '@writ/core';
import type { Database } from '@writ/database';
import type { InviteBoard } from './invite-board.ts';
import type { PendingJoiners } from './pending-joiners.ts';

interface SettleParts {
  readonly pending: PendingJoiners;
  readonly board: InviteBoard;
  readonly database: Database;
}

/** Settles who waits for an invite; false where nobody does. Throws what kept a peer from being stored. */
export async function settleJoiner(
  { pending, board, database }: SettleParts,
  invite: string,
  accept: boolean,
): Promise<boolean> {
  const joiner = pending.take(invite);
  if (joiner === undefined) return false;
  if (!accept) {
    database.withWriteTx((tx) =>
      tx.audit({
        kind: 'invite',
        action: 'invite.declined',
        actor: 'person',
        subject: invite,
        details: { peer: joiner.peerId },
      }),
    );
    joiner.settle({ kind: 'refused' });
    board.tell(invite, { kind: 'refused' });
    return true;
  }
  try {
    const admitted = await joiner.admit();
    joiner.settle({ kind: 'accepted', admitted });
    const { label, generation } = admitted;
    board.tell(invite, { kind: 'paired', peerId: joiner.peerId, label, generation });
  } catch (error) {
    joiner.settle({ kind: 'failed', error });
    const { message, nextSteps } = toWritError(error);
    board.tell(invite, { kind: 'refused', why: `the peer could not be stored: ${message}`, nextSteps });
    throw error;
  }
  return true;
}

/** The yes of a machine is not enough where a person has to prove theirs. */
export function notApprover(): WritError {
  return new WritError('NOT_APPROVER', 'a new peer needs the yes of an approver of this node', {
    nextSteps: ['answer at a terminal: writ approval list, then writ approval approve ID'],
  });
}

/** Nobody is there to be answered. */
export function nobodyWaits(invite: string): WritError {
  return new WritError('NOT_FOUND', `nobody waits to be confirmed for invite ${quote(invite)}`);
}
