import { WritError } from '@writ/core';
import type { WriteTx } from '@writ/database';
import type { Task } from '@writ/task-store';
import type { SubmitAnswer, SubmitRequest } from '../types.ts';
import { runAttempt, runStarted } from './attempt.ts';
import { checkFiles } from './evidence/shipped.ts';
import { boundsOf, type Intake, type Standing, type TakeIn } from './intake.ts';
import { createLiveTask, type LiveTask } from './live-task.ts';
import type { ExecutorParts } from './parts.ts';
import { placeOf, standingOfWhom } from './place.ts';
import { prepareStart } from './preparing.ts';
import { type Attempt, permitStart, type Started, spawn } from './starting.ts';

/**
 * Takes a request in and answers as soon as that is durable; the task starts by itself when a slot is free. One that has
 * its slot at once, and no workspace to clone, is taken in and started in one transaction.
 */
export async function submit(parts: ExecutorParts, takeIn: TakeIn, request: SubmitRequest): Promise<SubmitAnswer> {
  if (parts.closing()) throw shuttingDown();
  if (request.spec.shipped !== undefined || request.spec.artifacts !== undefined) {
    await checkFiles(parts, request);
    if (parts.closing()) throw shuttingDown();
  }
  if (request.spec.workspace !== undefined || !parts.queue.claim()) {
    return takeInAndQueue(parts, takeIn, request, standingOf(parts, request));
  }
  const { task: id, spec, chain, subject } = request;
  const bounds = chain ? boundsOf(chain) : {};
  const newcomer = { ...subject, id, spec, bounds, sender: subject.from, chain: chain?.ids ?? [] };
  const live = createLiveTask(newcomer);
  return new Promise((resolve, reject) => {
    void occupySlot(parts, live, () => startAtOnce(parts, { takeIn, request, live, answer: resolve }).catch(reject));
  });
}

/** Enters a task that has no slot yet. */
export function enqueue(parts: ExecutorParts, task: Task): void {
  parts.live.set(task.id, createLiveTask(task));
  parts.queue.push(placeOf(task), task.id);
  // A stop may have waited until nothing of an earlier boot is left of it.
  parts.wakeups.wake(task.id);
}

/** Runs the queued task that the queue gives a slot. */
export async function runQueued(parts: ExecutorParts, id: string): Promise<void> {
  const live = parts.live.get(id);
  if (live) await occupySlot(parts, live, () => runAttempt(parts, live));
  else parts.queue.release();
}

/** Does `work`, which may not reject, in a slot that is taken, and frees it. */
async function occupySlot(parts: ExecutorParts, live: LiveTask, work: () => Promise<void>): Promise<void> {
  parts.occupied.add(live);
  await work();
  parts.occupied.delete(live);
  if (parts.live.get(live.id) === live) parts.live.delete(live.id);
  live.end();
  parts.queue.release();
}

function standingOf({ queue }: ExecutorParts, { subject, agent }: SubmitRequest): Standing | undefined {
  const place = placeOf({ sender: subject.from, session: subject.session, agent });
  const before = queue.before(place);
  return before === undefined ? undefined : { before, own: queue.queuedOf(place.whose), whose: standingOfWhom(place) };
}

function takeInAndQueue(
  parts: ExecutorParts,
  takeIn: TakeIn,
  request: SubmitRequest,
  standing: Standing | undefined,
): SubmitAnswer {
  const taken = parts.database.withWriteTx((tx) => takeIn(tx, request, standing));
  if (taken.kind === 'queued') enqueue(parts, taken.task);
  return answerOf(taken);
}

/** A submit that holds a slot. */
interface Newcomer {
  readonly takeIn: TakeIn;
  readonly request: SubmitRequest;
  readonly live: LiveTask;
  readonly answer: (answer: SubmitAnswer) => void;
}

/** Rejects where nothing was taken in. */
async function startAtOnce(parts: ExecutorParts, newcomer: Newcomer): Promise<void> {
  const { takeIn, request, live, answer } = newcomer;
  const { id, sender, bounds } = live;
  const preparation = await prepareStart(parts, live, { id, sender, spec: request.spec, bounds });
  if (parts.closing()) {
    if (preparation.kind === 'ready') preparation.prepared.discard();
    throw shuttingDown();
  }
  // What is refused or cannot run takes the longer way, which says so.
  if (preparation.kind !== 'ready') return answer(takeInAndQueue(parts, takeIn, request, undefined));
  const { prepared } = preparation;
  const begin = (): Started | Promise<Started> => {
    const { taken, attempt } = parts.database.withWriteTx((tx) => takeInAndPermit(parts, tx, newcomer));
    if (taken.kind === 'queued') parts.live.set(live.id, live);
    answer(answerOf(taken));
    return attempt ? spawn(parts, live, attempt, prepared) : { kind: 'over' };
  };
  try {
    // INVARIANT: 2 under the read lock no reload is acknowledged between the decision and the spawn.
    await runStarted(parts, live, await parts.engine.whileHeld(begin));
  } finally {
    prepared.discard();
  }
}

function takeInAndPermit(
  parts: ExecutorParts,
  tx: WriteTx,
  { takeIn, request, live }: Newcomer,
): { readonly taken: Intake; readonly attempt?: Attempt | undefined } {
  const taken = takeIn(tx, request, undefined);
  return taken.kind === 'queued' ? { taken, attempt: permitStart(parts, tx, live, taken.task) } : { taken };
}

function answerOf(taken: Intake): SubmitAnswer {
  switch (taken.kind) {
    case 'refused':
      return { accepted: false, decision: taken.decision };
    case 'known':
      return { accepted: true, task: taken.task };
    case 'queued':
    case 'waiting':
      return { accepted: true, task: taken.task, decision: taken.decision };
  }
}

function shuttingDown(): WritError {
  return new WritError('SHUTTING_DOWN', 'this node is shutting down', { nextSteps: ['try again later'] });
}
