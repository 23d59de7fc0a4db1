import type { TaskEvent, TaskState } from '@writ/task-store';
import type { WaitingFor } from './types.ts';

/** Events that are looked through: a task that waits has had few, and tells why in one of its last. */
const LOOKED = 8;

/** What the last event of a task that waits for a person says; undefined where it waits for none. */
export function waitingFor(
  task: { readonly state: TaskState; readonly lastSeq: number } | undefined,
  events: (afterSeq: number, limit: number) => readonly TaskEvent[],
): WaitingFor | undefined {
  if (task?.state !== 'waiting') return undefined;
  const last = events(Math.max(0, task.lastSeq - LOOKED), LOOKED).findLast(({ kind }) => kind === 'state');
  if (last?.kind !== 'state' || last.waits === undefined) return undefined;
  const { code = 'APPROVAL_REQUIRED', message = '', waits, atMs } = last;
  return { ...waits, code, message, sinceMs: atMs };
}
