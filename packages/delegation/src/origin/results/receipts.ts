import { pause } from '@writ/core';
import { signReceipt } from '@writ/evidence';
import type { Delivery } from '@writ/task-store';
import { backoffMs } from '../backoff.ts';
import { isPeer } from '../is-peer.ts';
import type { OriginOptions } from '../options.ts';

/** Most receipts that go out together. */
const BATCH = 100;

/** Hands the receipts of received results to their executors, again until they are stored there. */
export interface ReceiptOutbox {
  /** A receipt waits for this peer. */
  owe(peer: string): void;
  /** Everything that is stored as owed: at the start, and when peers have changed. */
  oweAll(): void;
  close(): Promise<void>;
}

type OutboxOptions = Pick<
  OriginOptions,
  'database' | 'engine' | 'directory' | 'evidence' | 'clock' | 'random' | 'logger'
>;

/** INVARIANT: 9 what was received is acknowledged in the end: after breaks, and after a restart. */
export function createReceiptOutbox(options: OutboxOptions): ReceiptOutbox {
  const { database, evidence, logger } = options;
  const closing = new AbortController();
  /** Who is sent receipts now; what comes meanwhile goes out together, after those under way. */
  const lines = new Map<string, Promise<void>>();

  function owe(peer: string): void {
    if (closing.signal.aborted || lines.has(peer)) return;
    const ended = (): void => void lines.delete(peer);
    const line = sendAll(options, peer, { signal: closing.signal, ended }).catch((error: unknown) =>
      logger.error('receipts are not sent', { peer, error: String(error) }),
    );
    lines.set(peer, line);
  }

  return {
    owe,
    oweAll() {
      for (const peer of database.withReadTx((tx) => evidence.results.unacknowledgedPeers(tx))) owe(peer);
    },
    async close() {
      closing.abort();
      await Promise.all(lines.values());
    },
  };
}

/** Until nothing is owed, or the peer is none any more. */
async function sendAll(
  options: OutboxOptions,
  peer: string,
  course: { readonly signal: AbortSignal; readonly ended: () => void },
): Promise<void> {
  const { clock, random, logger } = options;
  const { signal } = course;
  /** What the peer did not store when it was asked; the others go first. */
  const refused = new Set<string>();
  let failures = 0;
  try {
    // What is received in the same turn goes out together.
    await Promise.resolve();
    while (!signal.aborted && isPeer(options.engine, peer)) {
      try {
        const owed = nextOwed(options, peer, refused);
        // Nothing can be owed between this look and the end of the line: nobody else runs meanwhile.
        if (owed.length === 0 && refused.size === 0) return;
        const stored = owed.length === 0 ? [] : await send(options, peer, owed);
        for (const { task } of owed) if (!stored.includes(task)) refused.add(task);
        if (stored.length > 0) failures = 0;
        if (owed.length > 0) continue;
        refused.clear();
      } catch (error) {
        logger.debug('receipts were not handed over', { peer, error: String(error) });
      }
      await pause(clock, backoffMs(failures, random), signal);
      failures += 1;
    }
  } finally {
    course.ended();
  }
}

function nextOwed(options: OutboxOptions, peer: string, refused: ReadonlySet<string>): readonly Delivery[] {
  const { database, evidence } = options;
  const most = BATCH + refused.size;
  const owed = database.withReadTx((tx) => evidence.results.listUnacknowledged(tx, peer, most));
  return owed.filter(({ task }) => !refused.has(task)).slice(0, BATCH);
}

/** Sends receipts; those that the peer has stored are none of this node's any more. */
async function send(
  { database, directory, evidence }: OutboxOptions,
  peer: string,
  owed: readonly Delivery[],
): Promise<readonly string[]> {
  const receipts = owed.map(({ task, result, receivedAtMs }) => ({
    task,
    envelope: signReceipt(evidence.identity, { task, result, receivedAtMs }),
  }));
  const answered = await directory.client(peer).acknowledge(receipts);
  const stored = owed.map(({ task }) => task).filter((task) => answered.includes(task));
  if (stored.length > 0) database.withWriteTx((tx) => evidence.results.setAcknowledged(tx, stored));
  return stored;
}
