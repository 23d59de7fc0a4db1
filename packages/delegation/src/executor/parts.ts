import type { Wakeups } from '../wakeups.ts';
import type { Inputs } from './evidence/inputs.ts';
import type { LiveTask } from './live-task.ts';
import type { ExecutorOptions } from './options.ts';
import type { TaskJournal } from './task-journal.ts';
import type { TaskQueue } from './task-queue.ts';

/** What the functions of one executor share. */
export interface ExecutorParts extends ExecutorOptions {
  readonly journal: TaskJournal;
  readonly wakeups: Wakeups;
  readonly inputs: Inputs;
  /** Queued and running tasks of this process, by id. */
  readonly live: Map<string, LiveTask>;
  /** Those of them that have a slot. */
  readonly occupied: Set<LiveTask>;
  readonly queue: TaskQueue;
  /** True from the beginning of `close`: nothing starts any more. */
  readonly closing: () => boolean;
  /** Aborted at the beginning of `close`. */
  readonly stopping: AbortSignal;
}
