import type { GatewayPorts } from '../gateway-ports.ts';
import type { AnyOperation } from '../implement.ts';
import type { Upstreams } from '../upstreams/upstreams.ts';
import { approvalOperations } from './approvals.ts';
import { approverOperations } from './approvers.ts';
import { auditOperations } from './audit.ts';
import { delegationOperations } from './delegation.ts';
import { discoveryOperations } from './discovery.ts';
import { eventOperations } from './events.ts';
import { executionOperations } from './executions.ts';
import { guidanceOperations } from './guidance.ts';
import { leaseOperations } from './leases.ts';
import { neighbourOperations } from './neighbours.ts';
import { nodeOperations } from './node.ts';
import { ownLeaseOperations } from './own-leases.ts';
import { peerOperations } from './peers.ts';
import { policyOperations } from './policy.ts';
import { resultOperations } from './results.ts';
import { runnerOperations } from './runners.ts';
import { sessionOperations } from './sessions.ts';
import { setupOperations } from './setup.ts';
import { setupPlanOperations } from './setup-plans.ts';
import { taskOperations } from './tasks.ts';
import { turnOperations } from './turns.ts';
import { windowOperations } from './windows.ts';
import { workspaceOperations } from './workspaces.ts';

/** The one list of everything that a gateway can be asked. */
export function createOperations(ports: GatewayPorts, upstreams: Pick<Upstreams, 'problems'>): readonly AnyOperation[] {
  return [
    ...discoveryOperations(ports),
    ...neighbourOperations(ports),
    ...guidanceOperations(ports),
    ...delegationOperations(ports),
    ...executionOperations(ports),
    ...resultOperations(ports),
    ...nodeOperations(ports, upstreams),
    ...runnerOperations(ports),
    ...peerOperations(ports),
    ...leaseOperations(ports),
    ...ownLeaseOperations(ports),
    ...taskOperations(ports),
    ...turnOperations(ports),
    ...policyOperations(ports),
    ...setupOperations(ports),
    ...setupPlanOperations(ports),
    ...eventOperations(ports),
    ...auditOperations(ports),
    ...approverOperations(ports),
    ...approvalOperations(ports),
    ...windowOperations(ports),
    ...sessionOperations(ports),
    ...workspaceOperations(ports),
  ];
}
