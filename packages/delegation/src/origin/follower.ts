import { formatDuration, pause, STORE_AGAIN_MS, toWritError, WritError } from '@writ/core';
import { isTerminal, type Mirror } from '@writ/task-store';
import type { PeerClient } from '../peer-port.ts';
import { backoffMs } from './backoff.ts';
import type { Follower, Handover } from './following.ts';
import { type SubmitTry, tellToCancel, trySubmit } from './handover.ts';
import type { OriginParts } from './parts.ts';
import { keepRenewed } from './renewal.ts';
import { type Intake, openIntake } from './results/intake.ts';
import { takeEvents } from './taking-events.ts';
import {
  isLocalFault,
  type MirrorVerdict,
  verdictOnAccepted,
  verdictOnHandover,
  verdictOnRefusal,
} from './verdicts.ts';

/** Tries before `delegate` answers; later ones are made in the background. */
const FOREGROUND_TRIES = 3;
/** How long every try to reach an executor has to fail, past the task's deadline, before the task is given up, milliseconds. */
const GIVE_UP_MS = 86_400_000;
/** Taken for the deadline where the origin set none, milliseconds. */
const UNKNOWN_TIMEOUT_MS = 86_400_000;

/** One follower's own state. */
interface Course {
  readonly id: string;
  readonly signal: AbortSignal;
  readonly settle: (handover: Handover) => void;
  /** Begins to renew the writs, once; to be called when the executor has the task. */
  readonly renew: () => void;
  readonly intake: Intake;
  /** Aborted to act on a changed intent; replaced for each round. */
  round: AbortController;
  /** Whether bytes of `Submit` may have left this node. */
  sent: boolean;
  failures: number;
  /** How it ends, from when that is certain until it is stored. */
  ending?: { readonly verdict: MirrorVerdict; readonly handover: Handover; readonly isUnsent?: boolean };
  /** What this node refused after a try had left it; the executor is told to cancel. */
  withdrawn?: MirrorVerdict;
  /** Why this node cannot store what comes back, as long as it cannot. */
  fault?: WritError;
}

/** `fresh`: nothing of it can have left this node yet. */
export function startFollower(parts: OriginParts, id: string, options: { readonly fresh: boolean }): Follower {
  const stopping = new AbortController();
  let settle: (handover: Handover) => void = () => {};
  const handover = new Promise<Handover>((resolve) => {
    settle = resolve;
  });
  const round = new AbortController();
  const intake = openIntake(parts);
  const over = new AbortController();
  const course: Course = {
    ...{ id, settle, intake, round, signal: stopping.signal, sent: !options.fresh, failures: 0 },
    renew: once(() => void keepRenewed(parts, id, AbortSignal.any([stopping.signal, over.signal]))),
  };
  const done = follow(parts, course)
    .catch((error: unknown) => parts.logger.error('following a task stopped', { task: id, error: String(error) }))
    .finally(() => {
      over.abort();
      return intake.drop();
    });
  return {
    handover,
    done: done.finally(() => settle({ kind: 'pending' })),
    fault: () => course.fault,
    cancelRequested: () => course.round.abort(),
    stop() {
      stopping.abort();
      course.round.abort();
    },
  };
}

function once(begin: () => void): () => void {
  let begun = false;
  return () => {
    if (!begun) begin();
    begun = true;
  };
}

/**
 * The whole way: hand over, take events, after any break again, at whatever phase it stands.
 * INVARIANT: 9 a fault of this node's own database or disk delays it and ends nothing.
 */
async function follow(parts: OriginParts, course: Course): Promise<void> {
  while (!course.signal.aborted) {
    course.round = new AbortController();
    try {
      if (!(await followOn(parts, course))) return;
    } catch (error) {
      course.fault = toWritError(error);
      parts.logger.error('what is known of a task was not stored', { task: course.id, error: String(error) });
      course.settle({ kind: 'pending' });
      parts.wakeups.wake(course.id);
      await pause(parts.clock, STORE_AGAIN_MS, course.round.signal);
    }
  }
}

/** One round and the wait after it. False when the mirror is terminal. Throws what is this node's own fault. */
async function followOn(parts: OriginParts, course: Course): Promise<boolean> {
  if (course.ending) return storeEnding(parts, course, course.ending);
  const mirror = parts.journal.get(course.id);
  if (!mirror || isTerminal(mirror.state)) return false;
  const again = await oneRound(parts, course, mirror);
  // A round that was cut short for a new intent is no failure.
  if (!again || course.round.signal.aborted) return again;
  parts.journal.setUnreachable(course.id, true);
  delete course.fault;
  // Looked at after a try that failed: a node that itself was away has tried nothing meanwhile.
  if (isGivenUp(parts, parts.journal.require(course.id))) return end(parts, course, givenUpVerdict(mirror));
  if (course.failures >= FOREGROUND_TRIES - 1) course.settle({ kind: 'pending' });
  await pause(parts.clock, backoffMs(course.failures, parts.random), course.round.signal);
  course.failures += 1;
  return true;
}

/** False when the mirror is terminal. */
async function oneRound(parts: OriginParts, course: Course, mirror: Mirror): Promise<boolean> {
  const wanted = mirror.cancelRequestedAtMs === undefined;
  if (!mirror.accepted) return wanted ? handOver(parts, course, mirror) : withdrawUnaccepted(parts, course, mirror);
  try {
    const client = parts.directory.client(mirror.peer);
    course.settle({ kind: 'accepted' });
    course.renew();
    if (mirror.unreachable) await probe(parts, course, client);
    const ended = await followOnce(parts, course, mirror, client);
    return !ended;
  } catch (error) {
    return retryOrEnd(parts, course, mirror, error);
  }
}

async function handOver(parts: OriginParts, course: Course, mirror: Mirror): Promise<boolean> {
  const isFirst = !course.sent && course.failures === 0;
  const tried = await trySubmit(parts, mirror, { isFirst, signal: course.round.signal });
  if (!tried) return true;
  if (tried.kind === 'accepted') {
    course.failures = 0;
    course.sent = true;
    // The first event stores it. Should nothing come before a crash, it is submitted again, under the same key.
    if (mirror.unreachable) parts.journal.accept(course.id);
    course.settle(tried);
    return oneRound(parts, course, { ...parts.journal.require(course.id), accepted: true });
  }
  if (tried.kind === 'again') return handOverAgain(parts, course, mirror, tried);
  const verdict = verdictOnHandover(tried);
  // Only the executor's own answer says what became of what may have reached it.
  if (course.sent && tried.kind === 'refused' && tried.decidedBy === 'here') {
    course.withdrawn = verdict;
    course.settle(tried);
    return withdrawUnaccepted(parts, course, mirror);
  }
  if (course.sent) tellToCancel(parts, mirror);
  return end(parts, course, verdict, tried);
}

/** A first contact that certainly never left this node is told as such; anything else goes on until it is known. */
function handOverAgain(
  parts: OriginParts,
  course: Course,
  mirror: Mirror,
  tried: Extract<SubmitTry, { kind: 'again' }>,
): boolean {
  course.sent ||= tried.sent;
  if (isLocalFault(tried.error)) throw tried.error;
  parts.logger.debug('task was not handed over', { task: course.id, peer: mirror.peer, code: tried.error.code });
  if (course.sent || course.failures < FOREGROUND_TRIES - 1) return true;
  const error = new WritError('UNREACHABLE', `${mirror.peerLabel} cannot be reached: ${tried.error.message}`, {
    details: { task: course.id, sent: false },
    nextSteps: [`see whether the node runs: writ peer show ${mirror.peerLabel}`, 'then delegate again'],
    cause: tried.error,
  });
  course.ending = { verdict: verdictOnRefusal(error), handover: { kind: 'failed', error }, isUnsent: true };
  return storeEnding(parts, course, course.ending);
}

/**
 * Cancels a task that may or may not have arrived; no `Submit` is under way meanwhile, and none follows. A peer that
 * does not know it has nothing to end.
 */
async function withdrawUnaccepted(parts: OriginParts, course: Course, mirror: Mirror): Promise<boolean> {
  const cancelled = { state: 'cancelled', code: 'CANCELLED', message: 'cancelled before it was accepted' } as const;
  const verdict = course.withdrawn ?? cancelled;
  if (!course.sent) return end(parts, course, verdict);
  try {
    await parts.directory.client(mirror.peer).cancel(course.id);
  } catch (error) {
    if (isLocalFault(error)) throw error;
    return verdictOnAccepted(error, mirror.peerLabel) ? end(parts, course, verdict) : true;
  }
  parts.journal.accept(course.id);
  return oneRound(parts, course, parts.journal.require(course.id));
}

/** Proves that the link works again; a quiet watch would not say so. */
async function probe(parts: OriginParts, course: Course, client: PeerClient): Promise<void> {
  await client.readTranscript(course.id, 0, 1);
  parts.journal.setUnreachable(course.id, false);
}

/** One watch, with the cancel beside it where that is wanted. True when the outcome came. */
async function followOnce(parts: OriginParts, course: Course, mirror: Mirror, client: PeerClient): Promise<boolean> {
  const { round, intake } = course;
  const view = { intake, progressed: () => progressed(course) };
  if (mirror.cancelRequestedAtMs === undefined) {
    return takeEvents(parts, mirror, client, { ...view, signal: round.signal });
  }
  // The cancel is sent beside the watch; when it fails, the watch is broken off too, so that both are tried again.
  const broken = new AbortController();
  const signal = AbortSignal.any([round.signal, broken.signal]);
  const cancelling = client.cancel(course.id).then(
    () => undefined,
    (error: unknown) => {
      broken.abort();
      return toWritError(error);
    },
  );
  const ended = await takeEvents(parts, mirror, client, { ...view, signal });
  if (ended || round.signal.aborted) return ended;
  if (!broken.signal.aborted) return false;
  const failure = await cancelling;
  if (failure) throw failure;
  return false;
}

function progressed(course: Course): void {
  course.failures = 0;
  delete course.fault;
}

function retryOrEnd(parts: OriginParts, course: Course, mirror: Mirror, error: unknown): boolean {
  if (isLocalFault(error)) throw error;
  const verdict = verdictOnAccepted(error, mirror.peerLabel);
  // Where it was this node that ended the trust, what runs there shall end too.
  if (verdict?.code === 'TRUST_REVOKED') tellToCancel(parts, mirror);
  if (verdict) return end(parts, course, verdict);
  parts.logger.debug('link to a task broke', { task: course.id, peer: mirror.peer, error: String(error) });
  return true;
}

/** False: it goes no further. What is certain is not found out again where it cannot be stored yet. */
function end(parts: OriginParts, course: Course, verdict: MirrorVerdict, handover?: Handover): false {
  course.ending = { verdict, handover: handover ?? { kind: 'pending' } };
  return storeEnding(parts, course, course.ending);
}

function storeEnding(parts: OriginParts, course: Course, ending: NonNullable<Course['ending']>): false {
  if (ending.isUnsent) parts.journal.endUnsent(course.id, ending.verdict);
  else parts.journal.end(course.id, ending.verdict);
  course.settle(ending.handover);
  return false;
}

function isGivenUp({ clock }: OriginParts, mirror: Mirror): boolean {
  const deadlineMs = mirror.createdAtMs + (mirror.spec.timeoutMs ?? UNKNOWN_TIMEOUT_MS);
  const sinceMs = mirror.unreachableSinceMs ?? Number.POSITIVE_INFINITY;
  return clock.nowMs() > Math.max(deadlineMs, sinceMs) + GIVE_UP_MS;
}

function givenUpVerdict({ peerLabel }: Mirror): MirrorVerdict {
  const silence = `${peerLabel} could not be reached for ${formatDuration(GIVE_UP_MS)}, and the deadline is over`;
  return { state: 'lost', code: 'LOST', message: silence };
}
