import { EXECUTION_STATES } from '@writ/lease-store';
import { describe, expect, it } from 'vitest';
import { EXECUTION_EVENTS, type ExecutionEvent, nextExecutionState } from './state.ts';

/** The whole table, once more by hand: state, then what each event makes of it. */
const EXPECTED: Readonly<Record<string, Partial<Record<ExecutionEvent, string>>>> = {
  proposed: {
    ask: 'pending_approval',
    start: 'running',
    refuse: 'failed',
    deny: 'denied',
    expire: 'expired',
    cancel: 'cancelled',
  },
  pending_approval: {
    approve: 'proposed',
    start: 'running',
    refuse: 'failed',
    deny: 'denied',
    expire: 'expired',
    cancel: 'cancelled',
  },
  running: { complete: 'completed', fail: 'failed', crash: 'outcome_unknown', cancel: 'cancelled' },
};

const PAIRS = EXECUTION_STATES.flatMap((state) => EXECUTION_EVENTS.map((event) => [state, event] as const));

describe('a gated command', () => {
  it.each(PAIRS)('that is %s: %s', (state, event) => {
    expect(nextExecutionState(state, event)).toBe(EXPECTED[state]?.[event]);
  });
});
