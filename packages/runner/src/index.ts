export { type AgentFinderParts, createAgentFinder } from './agents/agent-finder.ts';
export type { AgentFinder, FoundAgent, FoundProgram, InSandbox, KnownAgent } from './agents/types.ts';
export { describeGroups, type GroupsReport } from './control-groups/control-groups.ts';
export { buildCommandEnvironment, searchPath } from './environment.ts';
export { createHeldFiles, type HeldFilesOptions } from './gated/held-files.ts';
export { createScriptPlace } from './gated/script-place.ts';
export type {
  CommandOrder,
  CommandRun,
  CommandRuns,
  HeldFile,
  HeldFiles,
  OutputPage,
  OutputPiece,
  PathFact,
} from './gated/types.ts';
export { type Executed, type ProbeParts, probeSandbox } from './sandbox/probe.ts';
export { findProgram } from './sandbox/program.ts';
export { describeSandbox } from './sandbox/sandbox.ts';
export { readSystemView } from './sandbox/system-view.ts';
export type { Reach, SandboxFeatures, SandboxReport } from './sandbox/types.ts';
export { isSecretName } from './secret-names.ts';
export type { Service, ServiceOrder, Services } from './services.ts';
export { TOLD_FD } from './spawner/first-process.ts';
export { createTaskRunner } from './task-runner.ts';
export type {
  CommandRule,
  Ending,
  GitAnswer,
  GitCall,
  GitRoom,
  GitRoomSpec,
  IsolationLevel,
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
} from './types.ts';
export type {
  Clone,
  Fate,
  KeptWorkspace,
  ListedWorkspace,
  LiveClone,
  Removal,
  Storage,
  StorageRules,
  Stored,
  SweepOrder,
  TranscriptFile,
  WorkspaceEnd,
  WorkspaceRecord,
  WorkspaceSource,
} from './workspaces/types.ts';
