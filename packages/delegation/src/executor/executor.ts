import { setMaxListeners } from 'node:events';
import type { ReadTx } from '@writ/database';
import { readChain } from '../read-chain.ts';
import type { EndListener, Executor, FoundTask } from '../types.ts';
import { createWakeups } from '../wakeups.ts';
import { createInputs } from './evidence/inputs.ts';
import { acknowledgeResult } from './evidence/receipts.ts';
import { createResultContent } from './evidence/result-content.ts';
import { createSignEnd } from './evidence/signing.ts';
import { commitsOf } from './evidence/workspace.ts';
import { createIntake } from './intake.ts';
import { type LiveTask, stopLive } from './live-task.ts';
import type { ExecutorOptions } from './options.ts';
import type { ExecutorParts } from './parts.ts';
import { readPage, readWaiting, watchTask } from './reading.ts';
import { recoverTasks } from './recovery.ts';
import { renewWrits } from './renewing.ts';
import { cancelTask, endMatching, withdraw } from './stopping.ts';
import { enqueue, runQueued, submit } from './submitting.ts';
import { contextOf } from './task-context.ts';
import { createTaskJournal } from './task-journal.ts';
import { createTaskQueue } from './task-queue.ts';
import { endQuestions } from './turns/settling.ts';
import { createExecutorTurns } from './turns/turns.ts';
import { lookAtWaiting } from './waiting/look-again.ts';
import { createTaskKind } from './waiting/task-kind.ts';
import { createWithdrawalCheck, type WithdrawalCheck } from './withdrawal.ts';

/**
 * The executing end of tasks: takes them in, starts them when a slot is free, ends them, tells what happened. Listens
 * to the engine and to what becomes of leases until it is closed.
 */
export function createExecutor(options: ExecutorOptions): Executor {
  const stopping = new AbortController();
  // Each task that waits for the database listens.
  setMaxListeners(0, stopping.signal);
  const { database, tasks } = options;
  const wakeups = createWakeups();
  const endListeners = new Set<EndListener>();
  const journal = createTaskJournal({
    database,
    tasks,
    wakeups,
    sign: createSignEnd(options),
    onEnd(tx, task) {
      options.doors?.drop(tx, task.id);
      endQuestions(parts, tx, task.id);
      for (const listener of endListeners) listener(tx, task);
    },
  });
  const queue = createTaskQueue({ slots: options.slots, start: (id) => void runQueued(parts, id) });
  const parts: ExecutorParts = {
    ...options,
    journal,
    wakeups,
    queue,
    inputs: createInputs(options),
    live: new Map(),
    occupied: new Set(),
    closing: () => stopping.signal.aborted,
    stopping: stopping.signal,
  };
  const takeIn = createIntake(parts);
  const content = createResultContent(parts);
  const check = createWithdrawalCheck(options);
  const listeners = listen(parts, check);

  return {
    submit: (request) => submit(parts, takeIn, request),
    get: (id) => database.withReadTx((tx) => tasks.get(tx, id)),
    find: (id, sender) => database.withReadTx((tx) => findOf(options, tx, id, sender)),
    removedAtMs: (id) => database.withReadTx((tx) => options.removals.find(tx, 'task', id)?.atMs),
    list: (filter) => database.withReadTx((tx) => tasks.list(tx, filter)),
    watch: (task, afterSeq, signal) => watchTask(parts, { task, afterSeq, signal }),
    readTranscript: (id, offset, limit) => readPage(parts, id, offset, limit),
    result: content.result,
    readContent: content.read,
    acknowledge: (id, receipt) => acknowledgeResult(parts, id, receipt),
    ...{ workspaceCommits: (name) => commitsOf(parts, name), takeInput: parts.inputs.take },
    cancel: (id, by) => cancelTask(parts, id, by),
    renew: (id, extensions) => renewWrits(parts, check, id, extensions),
    endWhere: (match, code, message) => endMatching(parts, match, code, message),
    waitsFor: (id) => readWaiting(parts, id),
    taskKind: createTaskKind(parts),
    context: (tx, id) => contextOf(parts, tx, id),
    turns: createExecutorTurns(parts),
    writs: (id) => readChain(database.withReadTx((tx) => tasks.writs(tx, id))),
    onEnd: (listener) => addTo(endListeners, listener),
    recover: () => recoverTasks(parts, (task) => enqueue(parts, task)),
    async close(graceMs) {
      stopping.abort();
      queue.close();
      await drain(parts, graceMs);
      for (const stop of listeners) stop();
      parts.inputs.close();
      wakeups.close();
    },
  };
}

function findOf({ tasks, removals }: ExecutorOptions, tx: ReadTx, id: string, sender: string): FoundTask | undefined {
  const task = tasks.get(tx, id);
  // INVARIANT: 7 another sender's task and one that is none are the same to whoever asks.
  if (task?.sender === sender) return { task };
  const removed = removals.find(tx, 'task', id);
  return removed?.owner === sender ? { removedAtMs: removed.atMs } : undefined;
}

/** Returns how to take it out again. */
function addTo<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Looks again at what runs, is queued or waits, after every change of what allowed it; returns how to stop. */
function listen(parts: ExecutorParts, check: WithdrawalCheck): readonly (() => void)[] {
  return [
    parts.engine.onChange(() => {
      withdraw(parts, check.afterPolicyChange);
      lookAtWaiting(parts);
    }),
    parts.authority.onLeaseLent(() => lookAtWaiting(parts)),
    parts.authority.onLeaseRevoked((lease) => withdraw(parts, (entry) => check.afterLeaseRevoked(entry, lease))),
  ];
}

/** Breaks preparations off, whose tasks stay queued. Waits for what runs, for `graceMs`; then ends it. */
async function drain(parts: ExecutorParts, graceMs: number): Promise<void> {
  const started = (): readonly LiveTask[] => [...parts.occupied].filter((entry) => entry.permit);
  const stopAll = (): void => {
    for (const entry of started()) stopLive(entry, { kind: 'cancel', by: 'shutdown' });
  };
  for (const entry of parts.occupied) entry.preparing.abort();
  if (graceMs <= 0) stopAll();
  const disarm = parts.clock.setTimer(Math.max(0, graceMs), stopAll);
  await Promise.all([...parts.occupied].map((entry) => entry.ended));
  disarm();
}
