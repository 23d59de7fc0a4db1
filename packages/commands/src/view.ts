import { readRequest } from '@writ/authority';
import type { Execution, ExecutionState } from '@writ/lease-store';
import type { CommandView } from './types.ts';

/** States that an execution never leaves. */
const FINAL: ReadonlySet<ExecutionState> = new Set([
  'completed',
  'failed',
  'denied',
  'expired',
  'cancelled',
  'outcome_unknown',
]);

/** True where nothing happens to it any more. */
export function isFinal({ state }: Pick<Execution, 'state'>): boolean {
  return FINAL.has(state);
}

/** A stored command for every surface; `node` is this node's name, `next` what was asked for in its place. */
export function viewOf(execution: Execution, node: string, next: string | undefined): CommandView {
  const request = readRequest(execution.request);
  const { id, state, needs, target, profile, requestedBy, task, approval, window, lease } = execution;
  const { createdAtMs, expiresAtMs, startedAtMs, endedAtMs, outcome } = execution;
  return {
    ...{ id, state, why: whyOf(execution, node), class: execution.class, needs, profile, requestedBy },
    ...{ argv: request?.argv ?? [], cwd: request?.cwd ?? '', createdAtMs, expiresAtMs },
    ...(target === undefined ? {} : { target }),
    ...(task === undefined ? {} : { task }),
    ...(approval === undefined ? {} : { approval }),
    ...(window === undefined ? {} : { window }),
    ...(lease === undefined ? {} : { lease }),
    ...(next === undefined ? {} : { next }),
    ...(startedAtMs === undefined ? {} : { startedAtMs }),
    ...(endedAtMs === undefined ? {} : { endedAtMs }),
    ...(outcome === undefined ? {} : { outcome }),
  };
}

/** What a question waits for, in the words of every surface. */
export function waitingFor(node: string, sinceMs: number, approval: string): string {
  return `waits for a person on ${node} since ${new Date(sinceMs).toISOString()}, approval ${approval}`;
}

function whyOf({ state, class: of, approval, window, createdAtMs, outcome }: Execution, node: string): string {
  const ended = outcome?.message ?? '';
  switch (state) {
    case 'pending_approval':
      return waitingFor(node, createdAtMs, approval ?? '');
    case 'proposed':
      return `is about to start: ${permission(of, approval, window)}`;
    case 'running':
      return `runs: ${permission(of, approval, window)}`;
    default:
      return ended;
  }
}

function permission(of: Execution['class'], approval: string | undefined, window: string | undefined): string {
  if (of === 'read') return 'it only reads';
  if (window !== undefined) return `window ${window} covers it`;
  return approval === undefined ? 'a window covers it' : `a person said yes, approval ${approval}`;
}
