export { createLeftoverStore } from './leftovers.ts';
export { createMirrorStore } from './mirror-store.ts';
export { createQuestionStore } from './question-store.ts';
export {
  type NewQuestion,
  QUESTION_KINDS,
  type Question,
  type QuestionKind,
  type QuestionStore,
  type Settlement,
  type Turn,
  type TurnQuestion,
} from './question-types.ts';
export { createRemovalStore } from './removal-store.ts';
export type {
  EndedPart,
  Leftover,
  LeftoverStore,
  RemovalRules,
  RemovalStore,
  RemovedRow,
  TaskPart,
  WalkPlace,
} from './removal-types.ts';
export { createResultStore } from './result-store.ts';
export { isTerminal } from './states.ts';
export { createTaskStore } from './task-store.ts';
export {
  type Delivery,
  type DeliveryStanding,
  type Ending,
  type Granted,
  type Mirror,
  type MirrorFilter,
  type MirrorStore,
  type NewMirror,
  type NewTask,
  type ResultStore,
  type ShippedInput,
  TASK_STATES,
  type Task,
  type TaskBounds,
  type TaskChange,
  type TaskEvent,
  type TaskEventBody,
  type TaskFilter,
  type TaskOutcome,
  type TaskRefusal,
  type TaskSpec,
  type TaskState,
  type TaskStore,
  type TaskWait,
  TERMINAL_STATES,
} from './types.ts';
