import type { ExecutionState } from '@writ/lease-store';

/**
 * What can happen to a gated command.
 *
 *                 ask              approve
 *     proposed ────────▶ pending_approval ────────▶ proposed
 *        │ start                │ start (a window covers it meanwhile)
 *        ▼                      ▼
 *      running ─ complete ▶ completed · fail ▶ failed · crash ▶ outcome_unknown · cancel ▶ cancelled
 *
 * Before it runs it can be refused (failed), denied, expire or be cancelled.
 */
export const EXECUTION_EVENTS = [
  'ask',
  'approve',
  'start',
  'complete',
  'fail',
  'crash',
  'refuse',
  'deny',
  'expire',
  'cancel',
] as const;
export type ExecutionEvent = (typeof EXECUTION_EVENTS)[number];

type Row = Readonly<Partial<Record<ExecutionEvent, ExecutionState>>>;

const BEFORE: Row = { refuse: 'failed', deny: 'denied', expire: 'expired', cancel: 'cancelled', start: 'running' };

const TABLE: Readonly<Record<ExecutionState, Row>> = {
  proposed: { ...BEFORE, ask: 'pending_approval' },
  pending_approval: { ...BEFORE, approve: 'proposed' },
  running: { complete: 'completed', fail: 'failed', crash: 'outcome_unknown', cancel: 'cancelled' },
  completed: {},
  failed: {},
  denied: {},
  expired: {},
  cancelled: {},
  outcome_unknown: {},
};

/** The state after `event`; undefined where it cannot happen. INVARIANT: 8 final states have no row. */
export function nextExecutionState(state: ExecutionState, event: ExecutionEvent): ExecutionState | undefined {
  return TABLE[state][event];
}
