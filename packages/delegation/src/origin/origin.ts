import { createFairTurns, type RunningCode } from '@writ/core';
import type { WriteTx } from '@writ/database';
import { createResultReader } from '@writ/evidence';
import { isTerminal, type Mirror, type Turn } from '@writ/task-store';
import { readChain } from '../read-chain.ts';
import type { Origin, WaitingFor } from '../types.ts';
import { waitingFor } from '../waiting-for.ts';
import { createWakeups } from '../wakeups.ts';
import { delegateTask, follow } from './delegating.ts';
import { tellToCancel } from './handover.ts';
import { isPeer } from './is-peer.ts';
import { requestLease } from './lease-request.ts';
import { createMirrorJournal } from './mirror-journal.ts';
import type { OriginOptions } from './options.ts';
import type { OriginParts } from './parts.ts';
import { createPeerTime } from './peer-time.ts';
import { readMirrorPage, watchMirror } from './reading.ts';
import { replyTo } from './replying.ts';
import { applyKept, readKept, readReceived, verifyKept } from './results/kept.ts';
import { createLateResults } from './results/late.ts';
import { createReceiptOutbox } from './results/receipts.ts';
import { endOwnSession, takeSessionEnd } from './session-ends/ending.ts';
import { createSessionEndOutbox } from './session-ends/outbox.ts';
import { SHIPPED_AT_ONCE } from './shipping.ts';
import { createTurns } from './turns.ts';

/** Submits that may wait for the answer of one peer at once; more wait here. */
const SUBMITS_PER_PEER = 64;

/** The asking end of tasks: hands them over, follows them through every break, keeps what came back. */
export function createOrigin(options: OriginOptions): Origin {
  const { database, mirrors } = options;
  const stopping = new AbortController();
  const wakeups = createWakeups();
  const journal = createMirrorJournal({ database, mirrors, wakeups });
  const turns = createTurns(SUBMITS_PER_PEER);
  const receipts = createReceiptOutbox(options);
  const outbox = createSessionEndOutbox(options);
  const parts: OriginParts = {
    ...{ ...options, journal, wakeups, turns, receipts, peerTime: createPeerTime(options.clock) },
    ...{ followers: new Map(), shipping: new Map(), ships: createFairTurns(SHIPPED_AT_ONCE) },
    readResult: createResultReader(),
    late: createLateResults(options, () => parts),
    stopping: stopping.signal,
    closing: () => stopping.signal.aborted,
  };
  const stopListening = options.engine.onChange(() => {
    outbox.oweAll();
    followTrust(parts);
  });
  return {
    delegate: (request) => delegateTask(parts, request),
    get: journal.get,
    removedAtMs: (id) => database.withReadTx((tx) => options.removals.find(tx, 'mirror', id)?.atMs),
    list: (filter) => database.withReadTx((tx) => mirrors.list(tx, filter)),
    watch: (task, afterSeq, signal) => watchMirror(parts, { task, afterSeq, signal }),
    waitsFor: (id) => waitsFor(options, id),
    readTranscript: (id, offset, limit) => readMirrorPage(parts, id, offset, limit),
    cancel: (id, by) => cancelMirror(parts, id, by),
    cancelChildren: (tx, parent) => cancelChildren(parts, tx, parent),
    forget: (id, by) => forgetMirror(parts, id, by),
    result: (id) => readReceived(parts, id),
    readContent: (id, sha256, offset, limit) => readKept(parts, id, sha256, offset, limit),
    verify: (id) => verifyKept(parts, id),
    apply: (id, how) => applyKept(parts, id, how),
    children: (parent, limit) => database.withReadTx((tx) => mirrors.listChildren(tx, parent, limit)),
    writs: (id) => readChain(database.withReadTx((tx) => mirrors.writs(tx, id))),
    reply: (id, reply) => replyTo(parts, id, reply),
    turn: (id) => openTurn(parts, id),
    endSession: (session, by) => endOwnSession(options, session, by),
    takeSessionEnd: (from, statement) => takeSessionEnd(options, from, statement),
    requestLease: (request) => requestLease(parts, request),
    endWhere: (match, code, message) => endMatching(parts, match, code, message),
    async recover() {
      await endUntrusted(parts);
      for (const mirror of database.withReadTx((tx) => mirrors.listLive(tx)))
        follow(parts, mirror.id, { fresh: false });
      parts.late.awaitAll();
      receipts.oweAll();
      outbox.oweAll();
    },
    async close() {
      stopping.abort();
      stopListening();
      const followers = [...parts.followers.values()];
      for (const follower of followers) follower.stop();
      await Promise.all(followers.map((follower) => follower.done));
      await Promise.allSettled(parts.shipping.values());
      await parts.late.close();
      await receipts.close();
      await outbox.close();
      wakeups.close();
    },
  };
}

/** Tells those who are peers now what they are owed, and ends what those hold who are none any more. */
function followTrust(parts: OriginParts): void {
  parts.receipts.oweAll();
  endUntrusted(parts).catch((error: unknown) =>
    parts.logger.error('tasks of a former peer could not be ended', { error: String(error) }),
  );
}

/** What is told of a task that waits; a mirror that is elsewhere waits for nobody. */
function openTurn({ database, journal, mirrors }: OriginParts, id: string): Turn | undefined {
  const { state } = journal.require(id);
  return state.endsWith('_required') ? database.withReadTx((tx) => mirrors.turn(tx, id)) : undefined;
}

/**
 * Resolves when the task is terminal, or as soon as its executor turns out to be unreachable; the intent stays. Throws
 * DATABASE_ERROR where this node cannot store what becomes of it.
 */
async function cancelMirror(parts: OriginParts, id: string, by: string): Promise<Mirror> {
  let mirror = parts.journal.requestCancel(id, by);
  if (isTerminal(mirror.state)) return mirror;
  const follower = follow(parts, id, { fresh: false });
  follower.cancelRequested();
  while (!isTerminal(mirror.state) && !mirror.unreachable && !parts.wakeups.closed) {
    await parts.wakeups.wait(id);
    const fault = follower.fault();
    if (fault) throw fault;
    mirror = parts.journal.require(id);
  }
  return mirror;
}

function waitsFor({ database, mirrors }: OriginOptions, id: string): WaitingFor | undefined {
  return database.withReadTx((tx) => {
    const mirror = mirrors.get(tx, id);
    const known = mirror && { state: mirror.state, lastSeq: mirror.cursor };
    return waitingFor(known, (after, limit) => mirrors.events(tx, id, after, limit));
  });
}

async function forgetMirror(parts: OriginParts, id: string, by: string): Promise<Mirror> {
  const mirror = parts.journal.forget(id, by);
  const follower = parts.followers.get(id);
  follower?.stop();
  await follower?.done;
  parts.late.await(id);
  return mirror;
}

/**
 * Stores the intent for everything that the task handed on and that still goes on; the executors are told after the
 * commit. Where this node closes first, its next start tells them.
 */
function cancelChildren(parts: OriginParts, tx: WriteTx, parent: string): void {
  for (const { id } of parts.mirrors.listLiveChildren(tx, parent)) {
    parts.journal.requestCancelIn(tx, id, `task ${parent}`);
    tx.afterCommit(() => {
      parts.wakeups.wake(id);
      if (!parts.closing()) follow(parts, id, { fresh: false }).cancelRequested();
    });
  }
}

async function endMatching(
  parts: OriginParts,
  match: (mirror: Mirror) => boolean,
  code: RunningCode,
  message: string,
): Promise<number> {
  const matching = parts.database.withReadTx((tx) => parts.mirrors.listLive(tx)).filter(match);
  await Promise.all(matching.map((mirror) => endHere(parts, mirror, code, message)));
  return matching.length;
}

async function endHere(parts: OriginParts, mirror: Mirror, code: RunningCode, message: string): Promise<void> {
  const follower = parts.followers.get(mirror.id);
  parts.journal.end(mirror.id, { state: 'failed', code, message });
  follower?.stop();
  tellToCancel(parts, mirror);
  await follower?.done;
}

function endUntrusted(parts: OriginParts): Promise<number> {
  const isUntrusted = ({ peer }: Mirror): boolean => !isPeer(parts.engine, peer);
  return endMatching(parts, isUntrusted, 'TRUST_REVOKED', 'the executor is no peer of this node any more');
}
