export { viewLine, viewReport, viewShown } from '../views/audit-view.ts';
export { contentNames, countOf, viewVerified } from '../views/verified-view.ts';
export { type ControlClient, type ControlClientOptions, createControlClient } from './control-client.ts';
export type { Patience } from './patience.ts';
export type {
  ApprovalView,
  Decided,
  ExecutionView,
  LeaseView,
  OperationInput,
  OperationName,
  OperationOutput,
  OutcomeView,
  PeerView,
  StreamItem,
  StreamName,
  TaskView,
  ViolationView,
} from './types.ts';
