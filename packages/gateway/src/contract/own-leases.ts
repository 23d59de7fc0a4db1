import { z } from 'zod';
import { nameField } from './fields.ts';
import { leaseView } from './leases.ts';
import { operationSpec } from './spec.ts';

/** Leases as an agent may know of them. */
export const ownLeaseContract = {
  list_leases: operationSpec({
    name: 'list_leases',
    summary:
      'Lists the leases on this node that your piece of work may use, newest first; with all, dead ones too. A lease that a peer lent is known there: see request_lease.',
    input: z.strictObject({ all: z.boolean().default(false) }),
    output: z.object({ leases: z.array(leaseView) }),
    taskToken: 'deny',
    mcp: { title: 'List leases', readOnly: true, destructive: false, idempotent: true, toolset: 'authority' },
  }),
  release_lease: operationSpec({
    name: 'release_lease',
    summary:
      'Gives back a lease that was lent to your session alone, and ends what runs under it. Do it when the work is done.',
    input: z.strictObject({ lease: nameField }),
    output: z.object({ lease: z.string(), released: z.boolean().describe('false: it was dead already') }),
    taskToken: 'deny',
    mcp: { title: 'Give a lease back', readOnly: false, destructive: true, idempotent: true, toolset: 'authority' },
  }),
} as const;
