import type { Authority, Gate } from '@writ/authority';
import type { Commands } from '@writ/commands';
import type { Clock, Logger, Random } from '@writ/core';
import type { Executor, Origin } from '@writ/delegation';
import type { Pairing } from '@writ/pairing';
import type { PolicyEngine } from '@writ/policy';
import type {
  AuditLogPort,
  AuditReader,
  Authenticator,
  ConfigAdmin,
  MachineAgents,
  NodeControl,
  PeerLinks,
  PersonDesk,
  ProfileValidator,
  RemoteDescribe,
  Sessions,
  TaskScope,
} from './ports.ts';

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
  readonly profiles: ProfileValidator;
  readonly sessions: Sessions;
  readonly authenticator: Authenticator;
  readonly scope: TaskScope;
  readonly audit: AuditReader;
  readonly auditLog: AuditLogPort;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}
