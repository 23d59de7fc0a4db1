import { delegationContract } from './delegation.ts';
import { discoveryContract } from './discovery.ts';
import { eventContract } from './events.ts';
import { leaseContract } from './leases.ts';
import { nodeContract } from './node.ts';
import { peerContract } from './peers.ts';
import { policyContract } from './policy.ts';
import { resultContract } from './results.ts';
import { taskContract } from './tasks.ts';
import { turnContract } from './turns.ts';

/** Everything that a gateway can be asked, by name; without the code behind it. */
export const contract = {
  ...discoveryContract,
  ...delegationContract,
  ...resultContract,
  ...nodeContract,
  ...peerContract,
  ...leaseContract,
  ...taskContract,
  ...turnContract,
  ...policyContract,
  ...eventContract,
} as const;

/** Type of the whole contract; the client's types are read from it. */
export type Contract = typeof contract;
