import { z } from 'zod';
import { nameField, noInput } from './fields.ts';
import { operationSpec } from './spec.ts';

const READ = { readOnly: true, destructive: false, idempotent: true, openWorld: true } as const;
const linkField = z.enum(['up', 'connecting', 'idle', 'down', 'none']);

const reachField = z.object({
  peer: z.string().describe('label'),
  link: linkField,
  reachable: z.boolean(),
  round_trip_ms: z.number().optional(),
  message: z.string(),
  next_steps: z.array(z.string()),
});

/** The other nodes, one by one. */
export const neighbourContract = {
  describe_peer: operationSpec({
    name: 'describe_peer',
    summary:
      'Shows what one peer offers you now: profiles with what each needs (a lease, a yes), workspaces, and whether it answers. Use it to choose profile and workspace for delegate.',
    input: z.strictObject({ peer: nameField.describe('label or id') }),
    output: z.object({
      label: z.string(),
      id: z.string(),
      enabled: z.boolean(),
      link: linkField,
      reachable: z.boolean(),
      message: z.string().optional().describe('why it does not answer'),
      version: z.string().optional(),
      generation: z.number().optional(),
      profiles: z.array(
        z.object({
          name: z.string(),
          rank: z.number().optional(),
          requires_lease: z.boolean().optional(),
          requires_approval: z.boolean().optional(),
          may_ask: z.boolean(),
        }),
      ),
      workspaces: z.array(z.object({ name: z.string(), may_name: z.boolean() })),
    }),
    taskToken: 'deny',
    mcp: { title: 'Describe a peer', ...READ },
  }),
  list_workspaces: operationSpec({
    name: 'list_workspaces',
    summary: 'Lists the workspaces (repositories) of this node, or those that a peer offers you.',
    input: z.strictObject({ peer: nameField.optional().describe('label or id; absent: this node') }),
    output: z.object({
      of: z.string(),
      workspaces: z.array(z.object({ name: z.string(), may_name: z.boolean().describe('in delegate') })),
    }),
    taskToken: 'deny',
    mcp: { title: 'List workspaces', ...READ, toolset: 'peers' },
  }),
  ping_peer: operationSpec({
    name: 'ping_peer',
    summary: 'Asks a peer for an answer now, and says how long it took or why there was none.',
    input: z.strictObject({ peer: nameField.describe('label or id') }),
    output: reachField,
    taskToken: 'deny',
    mcp: { title: 'Ping a peer', ...READ, idempotent: false, toolset: 'peers' },
  }),
  repair_peers: operationSpec({
    name: 'repair_peers',
    summary:
      'Tries every peer anew whose link is not up, and says of each that stays away what is wrong and what a person can do.',
    input: noInput,
    output: z.object({ peers: z.array(reachField), not_tried: z.number() }),
    taskToken: 'deny',
    mcp: { title: 'Repair links', ...READ, readOnly: false, toolset: 'peers' },
  }),
} as const;
