export { createApprovalStore } from './approval-store.ts';
export type {
  Approval,
  ApprovalDecision,
  ApprovalKind,
  ApprovalScope,
  ApprovalState,
  ApprovalStore,
  NewApproval,
  SessionKey,
} from './approval-types.ts';
export { createApproverStore } from './approver-store.ts';
export type { Approver, ApproverStore } from './approver-types.ts';
export { createExecutionStore } from './execution-store.ts';
export {
  EXECUTION_STATES,
  type Execution,
  type ExecutionChange,
  type ExecutionClass,
  type ExecutionOutcome,
  type ExecutionState,
  type ExecutionStore,
  type NewExecution,
} from './execution-types.ts';
export { createInviteStore } from './invite-store.ts';
export { createLeaseStore } from './lease-store.ts';
export { createNodeFactStore } from './node-fact-store.ts';
export { createPeerIntentStore } from './peer-intent-store.ts';
export type { PeerIntent, PeerIntentStore, PeerRights } from './peer-intent-types.ts';
export { createRequestLogStore } from './request-log-store.ts';
export { createSentCommandStore } from './sent-command-store.ts';
export type { SentCommand, SentCommandNews, SentCommandRef, SentCommandStore } from './sent-command-types.ts';
export { createSessionStore } from './session-store.ts';
export { createTokenStore } from './token-store.ts';
export type {
  ClaimRefusal,
  InviteRecord,
  InviteStore,
  Lease,
  LeaseQuery,
  LeaseStore,
  NewLease,
  NodeFactStore,
  RequestLogStore,
  Session,
  SessionEnd,
  SessionRules,
  SessionStore,
  TokenIdentity,
  TokenStore,
} from './types.ts';
export { createWindowStore } from './window-store.ts';
export type { NewWindow, Window, WindowKey, WindowKind, WindowStore } from './window-types.ts';
