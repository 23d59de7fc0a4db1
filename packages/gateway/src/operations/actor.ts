import type { Caller } from '../types.ts';

/** Who did it, for the audit trail: a task, an agent of this machine, or the person at it. */
export function actor(caller: Caller): string {
  if (caller.kind === 'task') return `task ${caller.task}`;
  return caller.session === undefined ? 'person' : 'self';
}
