export type { Subject } from '@writ/authority';
export type {
  Ending,
  Granted,
  Mirror,
  Task,
  TaskBounds,
  TaskEvent,
  TaskEventBody,
  TaskOutcome,
  TaskSpec,
  TaskState,
} from '@writ/task-store';
export { TASK_STATES, TERMINAL_STATES } from '@writ/task-store';
export type * from './types.ts';
