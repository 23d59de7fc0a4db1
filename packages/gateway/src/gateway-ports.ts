import type { Authority, Gate } from '@writ/authority';
import type { Commands } from '@writ/commands';
import type { Clock, Logger, Random, Tracing } from '@writ/core';
import type { Executor, Origin } from '@writ/delegation';
import type { Pairing } from '@writ/pairing';
import type { PolicyEngine } from '@writ/policy';
import type { AuditLogPort, AuditReader } from './audit-ports.ts';
import type {
  Authenticator,
  ConfigAdmin,
  MachineAgents,
  NodeControl,
  PeerLinks,
  PersonDesk,
  ProfileValidator,
  RemoteDescribe,
  Sessions,
  SetupAdvice,
  TaskScope,
  WorkspaceKeeper,
} from './ports.ts';
import type { UpstreamAudit, UpstreamProcesses } from './upstream-ports.ts';

/** What the operations work with. */
export interface GatewayPorts {
  /** The node's one engine, the same object that the mesh server decides with. */
  readonly engine: PolicyEngine;
  readonly authority: Authority;
  readonly gate: Pick<Gate, 'approvals' | 'approvers' | 'windows' | 'events' | 'acceptClock'>;
  readonly person: PersonDesk;
  readonly origin: Origin;
  readonly executor: Executor;
  readonly commands: Commands;
  readonly pairing: Pairing;
  readonly node: NodeControl;
  readonly agents: MachineAgents;
  readonly links: PeerLinks;
  readonly describe: RemoteDescribe;
  readonly config: ConfigAdmin;
  readonly advice: SetupAdvice;
  readonly profiles: ProfileValidator;
  readonly sessions: Sessions;
  readonly authenticator: Authenticator;
  readonly scope: TaskScope;
  readonly audit: AuditReader;
  /** What a line of the audit trail can be about. */
  readonly auditKinds: readonly string[];
  readonly auditLog: AuditLogPort;
  readonly upstreamProcesses: UpstreamProcesses;
  readonly upstreamAudit: UpstreamAudit;
  readonly workspaces: WorkspaceKeeper;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Absent: no call is traced. */
  readonly trace?: GatewayTrace | undefined;
}

/** What the calls of this machine are traced with. */
export interface GatewayTrace {
  readonly tracing: Tracing;
  /** `traceparent` of a task that runs here, for what it calls itself. */
  readonly spanOf: (task: string) => string | undefined;
}
