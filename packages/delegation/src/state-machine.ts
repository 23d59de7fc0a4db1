import { isTerminal, type TaskState, type TERMINAL_STATES } from '@writ/task-store';

/** What can happen to a task. Which states an event may come in is the table in `next`. */
export type TaskTransition =
  /** Somebody has to answer before the task may queue; again where something else has to be answered than before. */
  | { readonly kind: 'wait' }
  /** The waiting task was refused by the person who was asked. */
  | { readonly kind: 'reject' }
  | { readonly kind: 'queue' }
  | { readonly kind: 'start' }
  /** The running attempt needs something, or something else, from a person. */
  | { readonly kind: 'require'; readonly what: 'input' | 'approval' | 'credential' }
  /** What was required came. */
  | { readonly kind: 'resume' }
  /** The attempt ended without a result and its profile allows another, with a higher epoch. */
  | { readonly kind: 'retry' }
  | { readonly kind: 'complete' }
  /** The attempt failed, could not start, or lost its lease, trust or policy. */
  | { readonly kind: 'fail' }
  | { readonly kind: 'cancel' }
  /** Nobody can say any more what became of it. */
  | { readonly kind: 'lose' };

/** `absorbed`: the state is terminal, nothing changes. `refused`: the event cannot come in this state. */
export type NextState =
  | { readonly kind: 'moved'; readonly state: TaskState }
  | { readonly kind: 'absorbed'; readonly state: TaskState }
  | { readonly kind: 'refused'; readonly state: TaskState };

/** States that an event of each kind may come in; `any` is every state that is not terminal. */
const FROM: { readonly [K in TaskTransition['kind']]: readonly TaskState[] | 'any' } = {
  wait: ['submitted', 'waiting'],
  reject: ['waiting'],
  queue: ['submitted', 'waiting'],
  start: ['queued'],
  // Where its oldest question was answered, it may require something else.
  require: ['running', 'input_required', 'approval_required', 'credential_required'],
  resume: ['input_required', 'approval_required', 'credential_required'],
  retry: ['running', 'input_required', 'approval_required', 'credential_required'],
  complete: ['running', 'input_required', 'approval_required', 'credential_required'],
  fail: 'any',
  cancel: 'any',
  lose: 'any',
};

/**
 * The state after `event`: pure, total over every state and event.
 * INVARIANT: 8 terminal states absorb.
 */
export function next(state: TaskState, event: TaskTransition): NextState {
  if (isTerminal(state)) return { kind: 'absorbed', state };
  const from = FROM[event.kind];
  if (from !== 'any' && !from.includes(state)) return { kind: 'refused', state };
  return { kind: 'moved', state: target(event) };
}

/** The transition that leads to the terminal state `state`. */
export function endingTransition(state: (typeof TERMINAL_STATES)[number]): TaskTransition {
  switch (state) {
    case 'completed':
      return { kind: 'complete' };
    case 'failed':
      return { kind: 'fail' };
    case 'cancelled':
      return { kind: 'cancel' };
    case 'rejected':
      return { kind: 'reject' };
    case 'lost':
      return { kind: 'lose' };
  }
}

function target(event: TaskTransition): TaskState {
  switch (event.kind) {
    case 'wait':
      return 'waiting';
    case 'reject':
      return 'rejected';
    case 'queue':
    case 'retry':
      return 'queued';
    case 'start':
    case 'resume':
      return 'running';
    case 'require':
      return `${event.what}_required`;
    case 'complete':
      return 'completed';
    case 'fail':
      return 'failed';
    case 'cancel':
      return 'cancelled';
    case 'lose':
      return 'lost';
  }
}
