import { type Clock, isWritError, type WritCode } from '@writ/core';
import { signReceipt } from '@writ/evidence';
import type { Delivery } from '@writ/task-store';
import type { PeerClient } from '../../peer-port.ts';
import { backoffMs } from '../backoff.ts';
import { isPeer } from '../is-peer.ts';
import type { OriginOptions } from '../options.ts';
import { createPeerLines, type RoundEnd } from '../peer-lines.ts';

/** Most receipts that go out together. */
const BATCH = 100;

/**
 * Answers with which a peer stores no receipt, besides leaving one out of those that it has stored. That it does not know
 * this node, or has switched it off, says nothing about any receipt: as long as it is a peer here, it is asked again.
 */
const REFUSALS: readonly WritCode[] = ['BAD_REQUEST', 'EVIDENCE_INVALID', 'NOT_FOUND'];

/**
 * How long a peer that answers has to refuse a receipt until that is for good, milliseconds: a clock that is wrong or a
 * key that it has not learned is mended in a day.
 */
const REFUSED_FOR_GOOD_MS = 86_400_000;

/** Hands the receipts of received results to their executors, again until they are stored there or refused for good. */
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
  const { database, evidence, clock, random, logger } = options;
  const lines = createPeerLines({
    ...{ clock, logger, what: 'receipts' },
    open: (peer, signal) => openLine(options, peer, signal),
    pauseMs: (failures) => backoffMs(failures, random),
  });
  return {
    owe: lines.start,
    oweAll() {
      for (const peer of database.withReadTx((tx) => evidence.results.unacknowledgedPeers(tx))) lines.start(peer);
    },
    close: lines.close,
  };
}

/** One round offers everything that is owed; done when nothing is left, or the peer is none any more. */
function openLine(options: OutboxOptions, peer: string, signal: AbortSignal): () => Promise<RoundEnd> {
  const refusals = createRefusals(options.clock);
  return async () => {
    /** Refused in this round: the others go first. */
    const asked = new Set<string>();
    let moved = false;
    while (!signal.aborted && isPeer(options.engine, peer)) {
      const owed = nextOwed(options, peer, asked);
      if (owed.length === 0) return endOf(asked, moved);
      const stored = await send(options, peer, owed).catch((error: unknown) => {
        refusals.peerIsAway();
        throw error;
      });
      refusals.peerAnswers();
      moved ||= stored.length > 0;
      for (const { task } of owed) {
        if (stored.includes(task)) refusals.forget(task);
        else if (refusals.isForGood(task)) giveUp(options, peer, task);
        else asked.add(task);
      }
    }
    return 'done';
  };
}

function endOf(asked: ReadonlySet<string>, moved: boolean): RoundEnd {
  if (asked.size === 0) return 'done';
  return moved ? 'on' : 'later';
}

function nextOwed(options: OutboxOptions, peer: string, asked: ReadonlySet<string>): readonly Delivery[] {
  const { database, evidence } = options;
  const most = BATCH + asked.size;
  const owed = database.withReadTx((tx) => evidence.results.listUnacknowledged(tx, peer, most));
  return owed.filter(({ task }) => !asked.has(task)).slice(0, BATCH);
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
  const answered = await offer(directory.client(peer), receipts);
  const stored = owed.map(({ task }) => task).filter((task) => answered.includes(task));
  if (stored.length > 0) database.withWriteTx((tx) => evidence.results.setAcknowledged(tx, stored));
  return stored;
}

/** Those that the peer has stored. Which one of several it refuses is found out by offering each half alone. */
async function offer(
  client: Pick<PeerClient, 'acknowledge'>,
  receipts: Parameters<PeerClient['acknowledge']>[0],
): Promise<readonly string[]> {
  try {
    return await client.acknowledge(receipts);
  } catch (error) {
    if (!REFUSALS.some((code) => isWritError(error, code))) throw error;
    if (receipts.length === 1) return [];
    const half = Math.ceil(receipts.length / 2);
    return [...(await offer(client, receipts.slice(0, half))), ...(await offer(client, receipts.slice(half)))];
  }
}

/** For how long each receipt is refused: time between two answers of the peer, and none while it is away. */
function createRefusals(clock: Pick<Clock, 'monotonicMs'>) {
  let answeringMs = 0;
  let lastAnswerMs: number | undefined;
  /** By task, what `answeringMs` was at the first time. */
  const since = new Map<string, number>();
  return {
    peerAnswers(): void {
      const nowMs = clock.monotonicMs();
      answeringMs += nowMs - (lastAnswerMs ?? nowMs);
      lastAnswerMs = nowMs;
    },
    peerIsAway(): void {
      lastAnswerMs = undefined;
    },
    forget: (task: string): void => void since.delete(task),
    /** Refused once more: whether it has been for long enough, and is forgotten then. */
    isForGood(task: string): boolean {
      const firstMs = since.get(task) ?? answeringMs;
      since.set(task, firstMs);
      return answeringMs - firstMs >= REFUSED_FOR_GOOD_MS && since.delete(task);
    },
  };
}

/** What a peer has refused for long enough is told, and offered no more. */
function giveUp({ database, evidence }: OutboxOptions, peer: string, task: string): void {
  database.withWriteTx((tx) => {
    evidence.results.setRefused(tx, task);
    tx.audit({ kind: 'task', action: 'mirror.receipt-refused', actor: 'node', subject: task, details: { peer } });
  });
}
