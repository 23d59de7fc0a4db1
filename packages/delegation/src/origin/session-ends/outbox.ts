import { isWritError, type WritCode } from '@writ/core';
import { signSessionEnd } from '@writ/evidence';
import { backoffMs } from '../backoff.ts';
import { isPeer } from '../is-peer.ts';
import type { OriginOptions } from '../options.ts';
import { createPeerLines, type RoundEnd } from '../peer-lines.ts';
import type { OwedEnd } from './port.ts';

/** Most ends that are read at once, and most peers that are found owed at once. */
const BATCH = 100;
const MOST_OWED = 10_000;

/** Answers after which a peer is not told again: it never takes this word, or knows no such call. */
const FINAL: readonly WritCode[] = ['BAD_REQUEST', 'EVIDENCE_INVALID', 'NOT_FOUND'];

/** Tells peers of ends of sessions, again until they have heard. */
export interface SessionEndOutbox {
  /** Everything that is stored as owed: after an end, at the start, and when peers have changed. */
  oweAll(): void;
  close(): Promise<void>;
}

type OutboxOptions = Pick<
  OriginOptions,
  'database' | 'engine' | 'directory' | 'evidence' | 'sessionEnds' | 'clock' | 'random' | 'logger'
>;

/** The news of an end survives breaks and restarts: it is owed from the transaction of the end on. */
export function createSessionEndOutbox(options: OutboxOptions): SessionEndOutbox {
  const { database, sessionEnds, clock, random, logger } = options;
  const lines = createPeerLines({
    ...{ clock, logger, what: 'ends of sessions' },
    open: (peer) => () => tellSome(options, peer),
    pauseMs: (failures) => backoffMs(failures, random),
  });
  const oweAll = (): void => {
    const owed = database.withReadTx((tx) => sessionEnds.listOwed(tx, { limit: MOST_OWED }));
    for (const peer of new Set(owed.map((end) => end.peer))) lines.start(peer);
  };
  const stopListening = sessionEnds.onOwed(oweAll);
  return {
    oweAll,
    async close() {
      stopListening();
      await lines.close();
    },
  };
}

/** Done when nothing is owed, or the peer is none any more. */
async function tellSome(options: OutboxOptions, peer: string): Promise<RoundEnd> {
  const { database, sessionEnds } = options;
  if (!isPeer(options.engine, peer)) return 'done';
  const owed = database.withReadTx((tx) => sessionEnds.listOwed(tx, { peer, limit: BATCH }));
  for (const end of owed) await tell(options, end);
  return owed.length === 0 ? 'done' : 'on';
}

/** Tells one; settled when the peer has heard, or never will. */
async function tell(options: OutboxOptions, owed: OwedEnd): Promise<void> {
  const { database, directory, sessionEnds, logger } = options;
  try {
    await directory.client(owed.peer).endSession(owed.statement ?? sign(options, owed));
  } catch (error) {
    if (!FINAL.some((code) => isWritError(error, code))) throw error;
    logger.warn('a peer does not take the end of a session', { peer: owed.peer, error: String(error) });
  }
  database.withWriteTx((tx) => sessionEnds.settle(tx, owed));
}

function sign({ database, sessionEnds, evidence }: OutboxOptions, { origin, session }: OwedEnd): Uint8Array {
  const known = database.withReadTx((tx) => sessionEnds.get(tx, { origin, session }));
  return signSessionEnd(evidence.identity, { session, agent: known?.agent ?? 'unknown' });
}
