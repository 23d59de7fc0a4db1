import { quote, WritError } from '@writ/core';
import { createAttemptLimit } from './attempt-limit.ts';
import { nobodyWaits, notApprover, settleJoiner } from './confirming.ts';
import { createInvite } from './create-invite.ts';
import { createInviteBoard } from './invite-board.ts';
import { join } from './join.ts';
import { createOpenInvites } from './open-invites.ts';
import type { PairingOptions } from './options.ts';
import { createPeerRecords } from './peer-records.ts';
import { createPendingJoiners } from './pending-joiners.ts';
import { serveRedeem } from './redeem-server.ts';
import type { InviteEvent, Pairing } from './types.ts';

/** Both ends of making a peer, and its unmaking, for one node. */
export function createPairing(options: PairingOptions): Pairing {
  const { clock, database, invites } = options;
  const open = createOpenInvites(options);
  const pending = createPendingJoiners();
  const wrongProofs = new Map<string, number>();
  const board = createInviteBoard(clock, (id) => {
    wrongProofs.delete(id);
    pending.take(id)?.settle({ kind: 'expired' });
  });
  const records = createPeerRecords(options);
  const limit = createAttemptLimit(clock);
  endInvitesOfEarlierBoots(options);
  const parts = { options, open, board, pending, records, limit, wrongProofs };

  return {
    async createInvite(offer) {
      // Before a code is out: what could not be stored at its end is said at its beginning.
      await options.config.ready();
      const invite = createInvite(options, offer);
      open.changed();
      board.open(invite.id, invite.expiresAtMs);
      return invite;
    },
    hasOpenInvite: () => open.any(),
    watchInvite: (id, signal) => watchInvite(id, signal),
    async confirm(id, accept) {
      if (accept && options.consent.isNeeded()) throw notApprover();
      if (await settleJoiner({ ...parts, database }, id, accept)) return;
      if (!accept && withdraw(id)) return;
      throw nobodyWaits(id);
    },
    join: (code, signal) => join(options, records, code, signal),
    remove: (labelOrId) => records.remove(labelOrId),
    recover: () => records.recover(),
    serve: (messages) => serveRedeem(parts, messages),
  };

  /** Spends an invite that nobody has proved; false where there is none. */
  function withdraw(id: string): boolean {
    return database.withWriteTx((tx) => {
      if (!invites.use(tx, id)) return false;
      tx.audit({ kind: 'invite', action: 'invite.withdrawn', actor: 'person', subject: id });
      tx.afterCommit(() => {
        open.changed();
        board.tell(id, { kind: 'refused', why: 'it was withdrawn' });
      });
      return true;
    });
  }

  async function* watchInvite(id: string, signal: AbortSignal): AsyncGenerator<InviteEvent> {
    if (!board.has(id)) throw new WritError('NOT_FOUND', `no open invite ${quote(id)}`);
    yield* board.watch(id, signal);
  }
}

/** The person who could have answered for them watched a node that is gone: who redeems one now would wait in vain. */
function endInvitesOfEarlierBoots({ database, invites, clock }: PairingOptions): void {
  if (database.withReadTx((tx) => invites.listOpen(tx, clock.nowMs())).length === 0) return;
  database.withWriteTx((tx) => {
    const ended = invites.endAll(tx);
    tx.audit({ kind: 'invite', action: 'invite.ended-by-restart', actor: 'node', details: { invites: ended.length } });
  });
}
