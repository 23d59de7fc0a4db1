import { toWritError } from '@writ/core';
import type { ToolAnswer, ToolRequest } from '../types.ts';
import type { ExecutorParts } from './parts.ts';
import { contextOf } from './task-context.ts';

/** Which of the grant's members covers what an agent says that a tool call does; any one of them is enough. */
const COVERED_BY: Readonly<Record<ToolRequest['kind'], readonly string[]>> = {
  read: ['read_repo', 'read_files'],
  search: ['read_repo', 'read_files'],
  edit: ['edit_repo'],
  delete: ['edit_repo'],
  move: ['edit_repo'],
  execute: ['shell'],
  fetch: ['use_network'],
  other: [],
};

/**
 * Whether a task's agent may do what it asks leave for, by the grant as it is at this moment. What the call does is the agent's
 * own word: the answer steers an honest agent, and its isolation holds a dishonest one.
 * INVARIANT: 1 nothing is given that was not granted.
 */
export function leaveFor(parts: ExecutorParts, task: string, { kind }: ToolRequest): ToolAnswer {
  const covering = COVERED_BY[kind];
  try {
    const { closure } = parts.database.withReadTx((tx) => contextOf(parts, tx, task));
    if (covering.some((right) => closure.includes(right))) return { allowed: true };
  } catch (error) {
    return { allowed: false, reason: toWritError(error).message };
  }
  const needed = covering.length === 0 ? 'no right covers a call of this kind' : `it needs ${covering.join(' or ')}`;
  return { allowed: false, reason: `${needed}; the grant of this task does not hold it` };
}
