import { approvalContract } from './approvals.ts';
import { approverContract } from './approvers.ts';
import { auditContract } from './audit.ts';
import { delegationContract } from './delegation.ts';
import { discoveryContract } from './discovery.ts';
import { eventContract } from './events.ts';
import { executionContract } from './executions.ts';
import { guidanceContract } from './guidance.ts';
import { leaseContract } from './leases.ts';
import { neighbourContract } from './neighbours.ts';
import { nodeContract } from './node.ts';
import { ownLeaseContract } from './own-leases.ts';
import { peerContract } from './peers.ts';
import { policyContract } from './policy.ts';
import { resultContract } from './results.ts';
import { runnerContract } from './runners.ts';
import { sessionContract } from './sessions.ts';
import { setupContract } from './setup.ts';
import { taskContract } from './tasks.ts';
import { turnContract } from './turns.ts';
import { windowContract } from './windows.ts';

/** Everything that a gateway can be asked, by name; without the code behind it. */
export const contract = {
  ...discoveryContract,
  ...neighbourContract,
  ...guidanceContract,
  ...delegationContract,
  ...executionContract,
  ...resultContract,
  ...nodeContract,
  ...runnerContract,
  ...peerContract,
  ...leaseContract,
  ...ownLeaseContract,
  ...taskContract,
  ...turnContract,
  ...policyContract,
  ...setupContract,
  ...eventContract,
  ...auditContract,
  ...approverContract,
  ...approvalContract,
  ...windowContract,
  ...sessionContract,
} as const;

/** Type of the whole contract; the client's types are read from it. */
export type Contract = typeof contract;
