import type { Clock } from '@writ/core';
import { untilAborted } from '../abortable.ts';
import type { FollowTask, TaskChange } from '../operations/follow-task.ts';
import type { Caller } from '../types.ts';
import { readTaskUri, type TaskPart } from './task-uri.ts';

/** Most resources that one client, or all over HTTP together, follows at once. */
const MOST_FOLLOWED = 256;
/** Least time between two words about the same output, milliseconds. */
const OUTPUT_EVERY_MS = 1000;

/** Which change makes which resource another one. */
const CHANGES: Readonly<Record<TaskPart, readonly TaskChange[]>> = {
  task: ['state', 'outcome'],
  transcript: ['output', 'outcome'],
  result: ['outcome'],
  artifact: ['outcome'],
};

/** Resources that somebody wants to hear of. */
export interface Subscriptions {
  /**
   * Follows one until it is left as often as it was followed. Throws NOT_FOUND for what is not there or not the
   * caller's to see; false where too many are followed.
   */
  follow(uri: string): boolean;
  leave(uri: string): void;
  close(): void;
}

/** No resource at first; `publish` is told the address of each that has become another one. */
export function createSubscriptions(
  { follow, clock }: { readonly follow: FollowTask; readonly clock: Clock },
  caller: Caller,
  publish: (uri: string) => void,
): Subscriptions {
  const followed = new Map<string, { readonly over: AbortController; count: number }>();
  return {
    follow(uri) {
      const known = followed.get(uri);
      if (known !== undefined) known.count += 1;
      if (known !== undefined) return true;
      const resource = readTaskUri(uri);
      if (resource === undefined || followed.size >= MOST_FOLLOWED) return false;
      const over = new AbortController();
      const changes = follow(resource.task, { caller, signal: over.signal });
      followed.set(uri, { over, count: 1 });
      const tell = paced(clock, over.signal, () => publish(uri));
      void relay(untilAborted(changes, over.signal), CHANGES[resource.part], tell);
      return true;
    },
    leave(uri) {
      const known = followed.get(uri);
      if (known === undefined) return;
      known.count -= 1;
      if (known.count > 0) return;
      followed.delete(uri);
      known.over.abort();
    },
    close() {
      for (const { over } of followed.values()) over.abort();
      followed.clear();
    },
  };
}

async function relay(
  changes: AsyncIterable<TaskChange>,
  wanted: readonly TaskChange[],
  tell: (change: TaskChange) => void,
): Promise<void> {
  try {
    for await (const change of changes) if (wanted.includes(change)) tell(change);
  } catch {
    // The task went away, or the node stops: there is nothing more to tell.
  }
}

/** Output comes in pieces without end: of those only one a time is told, and the last one always. */
function paced(clock: Clock, signal: AbortSignal, publish: () => void): (change: TaskChange) => void {
  let isHeld = false;
  let isMore = false;
  const hold = (): void => {
    isHeld = true;
    const stop = clock.setTimer(OUTPUT_EVERY_MS, () => {
      signal.removeEventListener('abort', stop);
      isHeld = false;
      if (!isMore) return;
      isMore = false;
      publish();
      hold();
    });
    signal.addEventListener('abort', stop, { once: true });
  };
  return (change) => {
    if (change !== 'output') publish();
    else if (isHeld) isMore = true;
    else {
      publish();
      hold();
    }
  };
}
