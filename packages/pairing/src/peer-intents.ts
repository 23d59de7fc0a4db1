import { toWritError } from '@writ/core';
import type { PeerIntent } from '@writ/lease-store';
import type { PeerParts } from './options.ts';
import { takeBackEntry } from './peer-entry.ts';

/** A pairing that is under way. */
export type Admitting = Extract<PeerIntent, { readonly kind: 'admit' }>;

/** Settles all that an earlier boot left; what cannot be settled is logged, and waits for the next start. */
export async function settleAll(parts: PeerParts): Promise<number> {
  const peers = parts.database.withReadTx((tx) => parts.intents.peers(tx));
  for (const peer of peers) {
    await settle(parts, peer).catch((error: unknown) => logUnsettled(parts, peer, error));
  }
  return peers.length;
}

/** Takes back, or finishes, what was begun with a peer and did not end. */
export async function settle(parts: PeerParts, peer: string): Promise<void> {
  const intent = parts.database.withReadTx((tx) => parts.intents.get(tx, peer));
  switch (intent?.kind) {
    case undefined:
      return;
    case 'admit':
      return takeBack(parts, peer, intent);
    case 'remove':
      await parts.pins.remove(peer);
      storeRemoved(parts, peer, intent.label);
      await forget(parts, peer);
      return;
    case 'forget':
      await forget(parts, peer);
  }
}

/** Takes back what of a pairing is in files; nothing of it is in the database yet but the intent. */
export async function takeBack({ pins, config, edits, database, intents }: PeerParts, peer: string, intent: Admitting) {
  const { isNew, added } = intent;
  // The pin goes first, whatever becomes of the file, since it is what lets a new peer in.
  const steps = await Promise.allSettled([
    isNew ? pins.remove(peer) : undefined,
    added && config.takeAway((text) => takeBackEntry(edits, text, peer, added)),
  ]);
  for (const step of steps) if (step.status === 'rejected') throw step.reason;
  database.withWriteTx((tx) => {
    intents.remove(tx, peer);
    tx.audit({ kind: 'peer', action: 'peer.taken-back', actor: 'node', subject: peer });
  });
}

/** The end of trust, in one transaction; what is left to do then is the configuration. */
export function storeRemoved({ database, authority, intents }: PeerParts, peer: string, label: string): void {
  database.withWriteTx((tx) => {
    authority.endLeasesOf(tx, peer, 'person');
    tx.audit({ kind: 'peer', action: 'peer.removed', actor: 'person', subject: peer, details: { label } });
    intents.set(tx, peer, { kind: 'forget' });
  });
}

/** Takes the peer out of the configuration, which ends its removal. */
export async function forget({ config, edits, database, intents }: PeerParts, peer: string) {
  const done = await config.takeAway((text) => takeBackEntry(edits, text, peer, 'table'));
  database.withWriteTx((tx) => intents.remove(tx, peer));
  return done;
}

export function logUnsettled({ logger }: PeerParts, peer: string, error: unknown): void {
  logger.error('what was begun with a peer is not settled, and waits for the next start', {
    peer,
    error: toWritError(error).message,
  });
}
