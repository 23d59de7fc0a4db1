import type { OutgoingWish, SentCommands } from '@writ/commands';
import { sha256Hex } from '@writ/core';
import type { Database, WriteTx } from '@writ/database';
import type { SentCommandStore, SessionStore } from '@writ/lease-store';
import { createSessionRecord } from './sessions.ts';

/** What records of sent commands stand on. */
export interface SentCommandParts {
  readonly database: Database;
  readonly sessions: SessionStore;
  readonly sentCommands: SentCommandStore;
  /** Node id of this node, where the sessions begin. */
  readonly self: string;
}

/** Records that one commit removes at most. */
const SWEEP_LIMIT = 100;

/** What was asked of peers from here, in this node's database. */
export function createSentCommands(parts: SentCommandParts): SentCommands {
  const { database, sentCommands } = parts;
  const recordSession = createSessionRecord(parts.sessions, parts.self);
  return {
    record: (wish) =>
      database.withWriteTx((tx) => {
        recordSession(tx, { id: wish.session, agent: wish.agent });
        record(parts, tx, wish);
      }),
    note: (whose, news, { isFinal, id, next }) =>
      database.withWriteTx((tx) => {
        const { peer } = whose;
        if ('key' in whose && id !== undefined) sentCommands.name(tx, whose, id);
        sentCommands.note(tx, whose, news, isFinal);
        const named = 'id' in whose ? whose.id : id;
        if (named === undefined || next === undefined) return;
        const before = sentCommands.find(tx, { peer, id: named });
        if (before !== undefined) sentCommands.insert(tx, { ...before, key: nextKey(before, next), id: next });
      }),
    list: (limit) => database.withReadTx((tx) => sentCommands.list(tx, limit)),
  };
}

/** What no wish of this node's own has. */
function nextKey({ key }: { readonly key: string }, next: string): string {
  return sha256Hex(JSON.stringify(['in place of', key, next]));
}

/** In one transaction, so that the end of the session finds whoever was asked before it, and nobody is asked after it. */
function record(
  { sessions, sentCommands, self }: SentCommandParts,
  tx: WriteTx,
  { key, peer, session, agent, wish }: OutgoingWish,
): void {
  sessions.hold(tx, { origin: self, session }, peer);
  if (wish.kind === 'command') {
    const { argv, profile } = wish.command;
    sentCommands.insert(tx, { key, peer, session, agent, argv, ...(profile === undefined ? {} : { profile }) });
    if (tx.forRemoval !== undefined) sentCommands.prune(tx.forRemoval, SWEEP_LIMIT);
  }
  tx.audit({ kind: 'execution', action: 'execution.sent', actor: 'self', subject: key, details: { peer, session } });
}
