import { isWritError, pause, type WritCode } from '@writ/core';
import { signSessionEnd } from '@writ/evidence';
import { backoffMs } from '../backoff.ts';
import { isPeer } from '../is-peer.ts';
import type { OriginOptions } from '../options.ts';
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
  const { database, sessionEnds, logger } = options;
  const closing = new AbortController();
  /** Who is told now. */
  const lines = new Map<string, Promise<void>>();

  function owe(peer: string): void {
    if (closing.signal.aborted || lines.has(peer)) return;
    const line = tellAll(options, peer, closing.signal, () => lines.delete(peer)).catch((error: unknown) =>
      logger.error('ends of sessions are not told', { peer, error: String(error) }),
    );
    lines.set(peer, line);
  }

  const oweAll = (): void => {
    const owed = database.withReadTx((tx) => sessionEnds.listOwed(tx, { limit: MOST_OWED }));
    for (const peer of new Set(owed.map((end) => end.peer))) owe(peer);
  };
  const stopListening = sessionEnds.onOwed(oweAll);
  return {
    oweAll,
    async close() {
      stopListening();
      closing.abort();
      await Promise.all(lines.values());
    },
  };
}

/** Until nothing is owed, or the peer is none any more. */
async function tellAll(options: OutboxOptions, peer: string, signal: AbortSignal, ended: () => void): Promise<void> {
  const { clock, random, logger, database, sessionEnds } = options;
  let failures = 0;
  try {
    // What ends in the same turn is told by one line.
    await Promise.resolve();
    while (!signal.aborted && isPeer(options.engine, peer)) {
      try {
        const owed = database.withReadTx((tx) => sessionEnds.listOwed(tx, { peer, limit: BATCH }));
        // Nothing can be owed between this look and the end of the line: nobody else runs meanwhile.
        if (owed.length === 0) return;
        for (const end of owed) await tell(options, end);
        failures = 0;
        continue;
      } catch (error) {
        logger.debug('the end of a session was not told', { peer, error: String(error) });
      }
      await pause(clock, backoffMs(failures, random), signal);
      failures += 1;
    }
  } finally {
    ended();
  }
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
