import { type TaskOutcome, type TaskState, TERMINAL_STATES } from './types.ts';

/** Whether nothing follows this state. */
export function isTerminal(state: TaskState): state is TaskOutcome['state'] {
  return TERMINAL_STATES.some((terminal) => terminal === state);
}
