export type { AuditLine, AuditLogPort, AuditReader } from './audit-ports.ts';
export { type Contract, contract } from './contract/index.ts';
export { operationTable } from './contract/operation-table.ts';
export { createGateway, type Gateway } from './gateway.ts';
export type { GatewayPorts, GatewayTrace } from './gateway-ports.ts';
export type { AnyOperation } from './implement.ts';
export type {
  AgentFound,
  Authenticator,
  ConfigAdmin,
  ConfigCheck,
  ConfigTestResult,
  LinkState,
  NodeControl,
  NodeInfo,
  OfferedProfile,
  PeerDescription,
  PeerLinks,
  PersonDesk,
  PersonWish,
  ProfileDeclaration,
  ProfileValidator,
  ProfileVerdict,
  Proposal,
  RemoteDescribe,
  Sessions,
  SetupAdvice,
  TaskScope,
  WorkspaceKeeper,
  WorkspaceRow,
} from './ports.ts';
export type {
  CallContext,
  Caller,
  McpExposure,
  Operation,
  SessionRef,
  StreamOperation,
  TaskTokenRule,
} from './types.ts';
export type { UpstreamAudit, UpstreamProcess, UpstreamProcesses } from './upstream-ports.ts';
