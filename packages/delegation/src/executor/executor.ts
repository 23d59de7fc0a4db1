import type { Executor } from '../types.ts';
import { createWakeups } from '../wakeups.ts';
import { createIntake } from './intake.ts';
import { type LiveTask, stopLive } from './live-task.ts';
import type { ExecutorOptions } from './options.ts';
import type { ExecutorParts } from './parts.ts';
import { readPage, watchTask } from './reading.ts';
import { recoverTasks } from './recovery.ts';
import { cancelTask, endMatching, withdraw } from './stopping.ts';
import { enqueue, runQueued, submit } from './submitting.ts';
import { createTaskJournal } from './task-journal.ts';
import { createTaskQueue } from './task-queue.ts';
import { createWithdrawalCheck } from './withdrawal.ts';

/**
 * The executing end of tasks: takes them in, starts them when a slot is free, ends them, tells what happened. Listens
 * to the engine and to revoked leases until it is closed.
 */
export function createExecutor(options: ExecutorOptions): Executor {
  const stopping = new AbortController();
  const { database, tasks } = options;
  const wakeups = createWakeups();
  const journal = createTaskJournal({ database, tasks, wakeups });
  const queue = createTaskQueue({ slots: options.slots, start: (id) => void runQueued(parts, id) });
  const parts: ExecutorParts = {
    ...options,
    journal,
    wakeups,
    queue,
    live: new Map(),
    occupied: new Set(),
    closing: () => stopping.signal.aborted,
    stopping: stopping.signal,
  };
  const takeIn = createIntake(parts);
  const check = createWithdrawalCheck(options);
  const listeners = [
    options.engine.onChange(() => withdraw(parts, check.afterPolicyChange)),
    options.authority.onLeaseRevoked((lease) => withdraw(parts, (entry) => check.afterLeaseRevoked(entry, lease))),
  ];

  return {
    submit: (request) => submit(parts, takeIn, request),
    get: (id) => database.withReadTx((tx) => tasks.get(tx, id)),
    list: (filter) => database.withReadTx((tx) => tasks.list(tx, filter)),
    watch: (task, afterSeq, signal) => watchTask(parts, { task, afterSeq, signal }),
    readTranscript: (id, offset, limit) => readPage(parts, id, offset, limit),
    cancel: (id, by) => cancelTask(parts, id, by),
    endWhere: (match, code, message) => endMatching(parts, match, code, message),
    recover: () => recoverTasks(parts, (task) => enqueue(parts, task)),
    async close(graceMs) {
      stopping.abort();
      queue.close();
      await drain(parts, graceMs);
      for (const stop of listeners) stop();
      wakeups.close();
    },
  };
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
