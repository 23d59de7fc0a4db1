import { WritError } from '@writ/core';
import type { ReadTx } from '@writ/database';
import { verifySessionEnd } from '@writ/evidence';
import type { OriginOptions } from '../options.ts';
import type { SessionOf } from './port.ts';

type EndingParts = Pick<OriginOptions, 'database' | 'mirrors' | 'evidence' | 'clock' | 'tasks' | 'sessionEnds'>;

/**
 * Ends a session that began here, and tells the peers that were asked for something in it: `peers` are so many. `ended`
 * is false where it had ended. Throws NOT_FOUND.
 */
export function endOwnSession(
  parts: EndingParts,
  session: string,
  by: string,
): { readonly ended: boolean; readonly peers: number } {
  const key = { origin: parts.evidence.identity.public.id, session };
  const peers = parts.database.withReadTx((tx) => peersOf(parts, tx, key));
  return { ended: parts.sessionEnds.end(key, by, peers), peers: peers.length };
}

/**
 * Takes the word of a session's origin that it has ended, and hands it on to whoever was asked for something in it from
 * here. `from` is the peer that brings it: the origin itself, or one through which the session came here; for anybody
 * else nothing is stored, and of sessions that nothing was asked in here so many as the origin could have sent something in, so that
 * nobody fills this node with sessions that it makes up. What runs goes on: it was let
 * in, and whoever waits for its result may still want it; it asks nobody and opens nothing any more. Throws
 * EVIDENCE_INVALID where it is not signed by the node that it names.
 */
export function takeSessionEnd(parts: EndingParts, from: string, statement: Uint8Array): void {
  const { database, evidence, sessionEnds } = parts;
  const { origin, session, agent } = verifySessionEnd(statement, parts.clock.nowMs(), evidence.trust.signers);
  if (origin === evidence.identity.public.id) {
    throw new WritError('EVIDENCE_INVALID', 'this node says itself which of its sessions have ended');
  }
  const peers = database.withWriteTx((tx) => {
    const isKnown = sessionEnds.get(tx, { origin, session }) !== undefined;
    const isHeld = (): boolean =>
      parts.tasks.listLive(tx).some((task) => task.origin === origin && task.session === session);
    if (!isKnown && !isHeld()) {
      // A request that was sent before the end may come after it. Of a stranger's session none can.
      if (from === origin) sessionEnds.noteEnded(tx, { origin, session, agent });
      return undefined;
    }
    if (!isKnown) sessionEnds.start(tx, { origin, session, agent });
    return peersOf(parts, tx, { origin, session }).filter((peer) => peer !== from && peer !== origin);
  });
  if (peers === undefined) return;
  sessionEnds.end({ origin, session }, from, peers, statement);
}

/** Who was asked from here for something in a session: tasks, gated commands, leases. */
function peersOf({ mirrors, sessionEnds, evidence }: EndingParts, tx: ReadTx, key: SessionOf): readonly string[] {
  const { origin, session } = key;
  // A mirror names the origin of its session where that is another node.
  const withTasks = mirrors.peersOfSession(
    tx,
    origin === evidence.identity.public.id ? { session } : { origin, session },
  );
  return [...new Set([...withTasks, ...sessionEnds.holders(tx, key)])].sort();
}
