import { isTerminal, TASK_STATES, type TaskState, TERMINAL_STATES } from '@writ/task-store';
import { describe, expect, it } from 'vitest';
import { endingTransition, next, type TaskTransition } from './state-machine.ts';

const REQUIRED = ['input_required', 'approval_required', 'credential_required'] as const;
const LIVE = ['submitted', 'waiting', 'queued', 'running', ...REQUIRED] as const;

/** The whole table: for each event the states that it may come in and where it leads. */
const TABLE: readonly { event: TaskTransition; from: readonly TaskState[]; to: TaskState }[] = [
  { event: { kind: 'wait' }, from: ['submitted', 'waiting'], to: 'waiting' },
  { event: { kind: 'reject' }, from: ['waiting'], to: 'rejected' },
  { event: { kind: 'queue' }, from: ['submitted', 'waiting'], to: 'queued' },
  { event: { kind: 'start' }, from: ['queued'], to: 'running' },
  { event: { kind: 'require', what: 'input' }, from: ['running', ...REQUIRED], to: 'input_required' },
  { event: { kind: 'require', what: 'approval' }, from: ['running', ...REQUIRED], to: 'approval_required' },
  { event: { kind: 'require', what: 'credential' }, from: ['running', ...REQUIRED], to: 'credential_required' },
  { event: { kind: 'resume' }, from: REQUIRED, to: 'running' },
  { event: { kind: 'retry' }, from: ['running', ...REQUIRED], to: 'queued' },
  { event: { kind: 'complete' }, from: ['running', ...REQUIRED], to: 'completed' },
  { event: { kind: 'fail' }, from: LIVE, to: 'failed' },
  { event: { kind: 'cancel' }, from: LIVE, to: 'cancelled' },
  { event: { kind: 'lose' }, from: LIVE, to: 'lost' },
];

describe('next', () => {
  for (const { event, from, to } of TABLE) {
    const name = event.kind === 'require' ? `require ${event.what}` : event.kind;
    for (const state of TASK_STATES) {
      const terminal = TERMINAL_STATES.some((one) => one === state);
      const expected = terminal
        ? { kind: 'absorbed', state }
        : from.includes(state)
          ? { kind: 'moved', state: to }
          : { kind: 'refused', state };
      it(`${state} + ${name} is ${expected.kind} ${expected.state}`, () => {
        expect(next(state, event)).toEqual(expected);
      });
    }
  }

  it('reaches every state from `submitted`', () => {
    const reached = new Set<TaskState>(['submitted']);
    for (let grown = true; grown; ) {
      grown = false;
      for (const state of [...reached]) {
        for (const { event } of TABLE) {
          const result = next(state, event);
          if (result.kind === 'moved' && !reached.has(result.state)) grown = Boolean(reached.add(result.state));
        }
      }
    }
    expect([...reached].sort()).toEqual([...TASK_STATES].sort());
  });

  it('gives every terminal state the transition that leads to it', () => {
    for (const state of TERMINAL_STATES) {
      expect(isTerminal(state)).toBe(true);
      const from: TaskState = state === 'rejected' ? 'waiting' : 'running';
      expect(next(from, endingTransition(state))).toEqual({ kind: 'moved', state });
    }
  });
});
