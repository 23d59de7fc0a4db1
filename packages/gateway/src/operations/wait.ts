import { type Clock, formatSize } from '@writ/core';
import type { TaskEvent, TaskState } from '@writ/delegation';
import { untilAborted } from '../abortable.ts';
import type { CallContext } from '../types.ts';
import { eventsFromNow } from './follow-task.ts';
import { findTask, isFinished, stateOf, type TaskEnds } from './task-lookup.ts';

/** Least time between two words about output, milliseconds. */
const OUTPUT_NOTE_EVERY_MS = 1000;

/**
 * Follows the events of a task until it is finished or needs a reply, `timeoutMs` are over or `signal` aborts. Streams, never polls.
 * Throws NOT_FOUND.
 */
export async function waitForTask(
  ports: TaskEnds & { readonly clock: Clock },
  task: string,
  timeoutMs: number,
  { caller, signal, progress }: CallContext,
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
  const tell = createWaitNotes(ports.clock, progress);
  try {
    for await (const { event } of untilAborted(eventsFromNow(ports, task, found, until), until)) {
      tell(event);
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

/** What a task that is waited for does, in words: each state, and at most once a second how much it has written. */
function createWaitNotes(clock: Clock, progress: CallContext['progress']): (event: TaskEvent) => void {
  let written = 0;
  let toldAtMs = Number.NEGATIVE_INFINITY;
  return (event) => {
    if (progress === undefined) return;
    if (event.kind === 'state') progress({ message: event.message ? `${event.state}: ${event.message}` : event.state });
    if (event.kind !== 'output') return;
    written += event.length;
    const nowMs = clock.monotonicMs();
    if (nowMs - toldAtMs < OUTPUT_NOTE_EVERY_MS) return;
    toldAtMs = nowMs;
    progress({ message: `${formatSize(written)} of output since the wait began` });
  };
}

/** Whoever waits for a task that needs a reply would wait for ever. */
function isOver(state: TaskState): boolean {
  return isFinished(state) || state === 'input_required' || state === 'credential_required';
}
