export { searchPath } from './environment.ts';
export { createTaskRunner } from './task-runner.ts';
export type {
  Clone,
  CommandRule,
  Ending,
  GitAnswer,
  GitCall,
  PreparedRun,
  Run,
  RunFiles,
  RunInput,
  RunnerConfig,
  RunReport,
  RunSink,
  RunSpec,
  StopCause,
  TaskRunner,
  TaskRunnerOptions,
  TranscriptDigest,
  WorkspaceSource,
} from './types.ts';
