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

/** Where a command is, as far as that is seen in it. */
export interface ViewPlace {
  /** Name of this node. */
  readonly node: string;
  /** Nothing starts while the clock stands back. */
  readonly clockIsBackwards: boolean;
  /** What keeps this command from being started now, in words. */
  readonly heldUp: string | undefined;
}

/** A stored command for every surface; `next`: what was asked for in its place. */
export function viewOf(execution: Execution, place: ViewPlace, next: string | undefined): CommandView {
  const request = readRequest(execution.request);
  const { id, state, needs, target, profile, requestedBy, task, approval, window, lease } = execution;
  const { createdAtMs, expiresAtMs, startedAtMs, endedAtMs, outcome } = execution;
  return {
    ...{ id, state, why: whyOf(execution, place), class: execution.class, needs, profile, requestedBy },
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

function whyOf(execution: Execution, { node, clockIsBackwards, heldUp }: ViewPlace): string {
  const { state, class: of, approval, window, createdAtMs, outcome } = execution;
  const ended = outcome?.message ?? '';
  switch (state) {
    case 'pending_approval': {
      const waits = waitingFor(node, createdAtMs, approval ?? '');
      // Said of the last try: whether what allowed it still does is not known here, and a person can answer in any case.
      return heldUp === undefined ? waits : `${waits}; a start without one was put off: ${heldUp}`;
    }
    case 'proposed':
      if (clockIsBackwards) return clockOf(node);
      if (heldUp !== undefined) return `waits, and is tried again: ${heldUp}`;
      return `is about to start: ${permission(of, approval, window)}`;
    case 'running':
      return `runs: ${permission(of, approval, window)}`;
    default:
      return ended;
  }
}

function clockOf(node: string): string {
  return `waits: the clock of ${node} went back behind what it has recorded, and nothing starts until it is right or a person accepts it (writ lease accept-clock)`;
}

function permission(of: Execution['class'], approval: string | undefined, window: string | undefined): string {
  if (of === 'read') return 'it only reads';
  if (window !== undefined) return `window ${window} covers it`;
  return approval === undefined ? 'a window covers it' : `a person said yes, approval ${approval}`;
}
