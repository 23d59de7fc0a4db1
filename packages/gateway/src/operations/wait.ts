import type { Clock } from '@writ/core';
import type { TaskState } from '@writ/delegation';
import { untilAborted } from '../abortable.ts';
import type { CallContext } from '../types.ts';
import { findTask, isFinished, stateOf, type TaskEnds } from './task-lookup.ts';

/**
 * Follows the events of a task until it is finished or needs a reply, `timeoutMs` are over or `signal` aborts. Streams, never polls.
 * Throws NOT_FOUND.
 */
export async function waitForTask(
  ports: TaskEnds & { readonly clock: Clock },
  task: string,
  timeoutMs: number,
  { caller, signal }: CallContext,
): Promise<{ readonly timedOut: boolean }> {
  const found = findTask(ports, task, caller);
  if (isOver(stateOf(found))) return { timedOut: false };
  const enough = new AbortController();
  let timedOut = false;
  const stopTimer = ports.clock.setTimer(timeoutMs, () => {
    timedOut = true;
    enough.abort();
  });
  const until = AbortSignal.any([signal, enough.signal]);
  const events =
    found.asked === undefined
      ? ports.executor.watch(task, found.executing.lastSeq, until)
      : ports.origin.watch(task, found.asked.cursor, until);
  try {
    for await (const { event } of untilAborted(events, until)) {
      if (event.kind === 'outcome' || (event.kind === 'state' && isOver(event.state))) break;
    }
  } catch (error) {
    if (!until.aborted) throw error;
  } finally {
    stopTimer();
    enough.abort();
  }
  return { timedOut: timedOut && !isOver(stateOf(findTask(ports, task, caller))) };
}

/** Whoever waits for a task that needs a reply would wait for ever. */
function isOver(state: TaskState): boolean {
  return isFinished(state) || state === 'input_required' || state === 'credential_required';
}
