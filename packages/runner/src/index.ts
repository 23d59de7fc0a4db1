export { createTaskRunner } from './task-runner.ts';
export type {
  CommandRule,
  Ending,
  PreparedRun,
  Run,
  RunInput,
  RunnerConfig,
  RunReport,
  RunSink,
  RunSpec,
  StopCause,
  TaskRunner,
  TaskRunnerOptions,
  WorkspaceSource,
} from './types.ts';
