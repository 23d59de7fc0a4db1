export type { Subject } from '@writ/authority';
export { type Applied, type Result, readResult, type VerifiedTree } from '@writ/evidence';
export type { WritClaims } from '@writ/identity';
export type {
  Ending,
  Granted,
  Mirror,
  QuestionKind,
  ShippedInput,
  Task,
  TaskBounds,
  TaskEvent,
  TaskEventBody,
  TaskOutcome,
  TaskSpec,
  TaskState,
  TaskWait,
  Turn,
  TurnQuestion,
} from '@writ/task-store';
export { isTerminal, QUESTION_KINDS, TASK_STATES, TERMINAL_STATES } from '@writ/task-store';
export type { EvidenceKit } from './evidence-kit.ts';
export { createExecutor } from './executor/executor.ts';
export { boundsOf, chainAsk, checkLives } from './executor/intake.ts';
export type { ExecutorOptions } from './executor/options.ts';
export { createFileTranscripts } from './origin/file-transcripts.ts';
export { createLocalPeerClient } from './origin/local-peer.ts';
export type { OriginOptions } from './origin/options.ts';
export { createOrigin } from './origin/origin.ts';
export type { OwedEnd, SessionEnds, SessionOf } from './origin/session-ends/port.ts';
export type { OutgoingSubmit, PeerClient, PeerDirectory, PeerSubmitAnswer } from './peer-port.ts';
export { cutMessage, isTold, taskMessage } from './peer-words.ts';
export { createRemoval } from './removal/removal.ts';
export type { AuthorityRecords, Removal, RemovalOptions } from './removal/types.ts';
export { removedOn } from './removed-on.ts';
export type { NextState, TaskTransition } from './state-machine.ts';
export type {
  ApproverAsked,
  ApproverQuestion,
  Asked,
  AskedAnswer,
  AskWish,
  ExecutorTurns,
  QuestionWish,
  Reply,
  ReplyTaken,
  TurnDesk,
} from './turn-types.ts';
export type {
  DelegateAnswer,
  DelegateRequest,
  DelegationError,
  EndListener,
  EventSource,
  Executor,
  FoundTask,
  LeaseAnswer,
  Origin,
  OutgoingLeaseRequest,
  OutgoingReply,
  PreparedRun,
  ReceivedResult,
  RefusedDecision,
  RenewAnswer,
  Run,
  RunFiles,
  RunReport,
  RunSink,
  RunSpec,
  ShippedBundle,
  SideWork,
  SignedEnvelope,
  SubmitAnswer,
  SubmitRequest,
  TaskContext,
  TaskDoors,
  TaskRunner,
  ToolAnswer,
  ToolRequest,
  TranscriptMirror,
  TranscriptPage,
  WaitingFor,
  WatchedEvent,
  WritIssuer,
} from './types.ts';
export { setWallAlarm, type WallAlarm } from './wall-alarm.ts';
