export type { Approval, Lease } from '@writ/lease-store';
export { actionLines, previewAction } from './actions/preview.ts';
export { digestUnder, type Resolved, resolveAction } from './actions/resolve.ts';
export { runsRelative } from './actions/script-operand.ts';
export { readRequest } from './actions/stored-request.ts';
export type {
  Action,
  ActionEnvironment,
  ActionFiles,
  ActionRequest,
  BoundFile,
  BoundVariable,
  HeldAction,
  HeldFile,
  PathFact,
} from './actions/types.ts';
export { unboundFiles } from './actions/unbound.ts';
export { type ApproverChange, approverQuestion, type NewApprover } from './approvals/approver-change.ts';
export { type ClockWish, clockQuestion } from './approvals/clock-kind.ts';
export { type LeaseWish, type LeaseWishGrant, leaseQuestion, ownLeaseWish } from './approvals/lease-kind.ts';
export {
  createLeaseRequests,
  type LeaseRequest,
  type LeaseRequestOptions,
  type LeaseRequestOutcome,
  type LeaseRequests,
} from './approvals/lease-requests.ts';
export { type PermissionWish, permissionQuestion } from './approvals/permission-question.ts';
export { type Plan, type PlanStep, readPlan } from './approvals/plan.ts';
export { type PlanLines, planQuestion } from './approvals/plan-kind.ts';
export { askerLines, type Preview, type PreviewLine, type ShownAsker, showLines } from './approvals/showing.ts';
export {
  type AskingTask,
  createTaskQuestions,
  type TaskQuestionOptions,
  type TaskQuestions,
  type TaskWish,
} from './approvals/task-questions.ts';
export type { Answer, Approvals, AskOutcome, DecideOutcome, DecisionCheck, Question } from './approvals/types.ts';
export type { ApproverDesk } from './approver-desk.ts';
export { createAuthority } from './authority.ts';
export { type CommandBasis, readBasis, workspaceOf, writeBasis, writeTaskBasis } from './executions/basis.ts';
export { missingRight } from './executions/needs.ts';
export type {
  CommandEnd,
  CommandRunner,
  Pass,
  PreparedCommand,
  RunningCommand,
  Started,
  WorkerParts,
} from './executions/pass.ts';
export type { ExecutionEvent } from './executions/state.ts';
export type {
  Classify,
  CommandFacts,
  CommandRights,
  Executions,
  Proposal,
  ProposeOutcome,
  Rights,
  RightsQuery,
  StartBounds,
  StartOutcome,
  Withdrawn,
} from './executions/types.ts';
export { type ContinuationWorker, createContinuationWorker } from './executions/worker.ts';
export { createGate, type Gate, type GateOptions } from './gate.ts';
export { isReservedAgent, PERSON, personAt, personShown } from './person.ts';
export type {
  ApprovalKinds,
  Asker,
  AuthorityEvent,
  KindRules,
  ProofCheck,
  Refusal,
  TaskLookup,
} from './record-types.ts';
export {
  idOfAgent,
  idOfCall,
  idOfCredential,
  isOfOneCall,
  OF_ONE_CALL,
  SESSION_DIGITS,
  sessionIdKind,
  sessionRules,
} from './session-ids.ts';
export { beginSession, type Endings } from './sessions.ts';
export { withdrawalCode } from './start.ts';
export { commandIn } from './tool-calls/claims.ts';
export { permitToolCall } from './tool-calls/permit.ts';
export type { ClassifyTool, ToolCall, ToolFacts, ToolKind, ToolRights, ToolVerdict } from './tool-calls/types.ts';
export type {
  ApprovalLack,
  Ask,
  Authority,
  AuthorityError,
  AuthorityOptions,
  LeaseGrant,
  LeaseSpan,
  LeaseTerms,
  LiveTaskCounter,
  StartPermit,
  Subject,
} from './types.ts';
export {
  COMMAND_LINE,
  isOfCommandLine,
  isOfPeer,
  laneOf,
  type OneAsker,
  oneAsker,
  type WhoAsks,
  whoseTurn,
} from './whose.ts';
export type { Need, Windows } from './windows/windows.ts';
