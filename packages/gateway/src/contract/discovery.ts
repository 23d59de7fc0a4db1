import { z } from 'zod';
import { nameField, namesField, noInput, violationField } from './fields.ts';
import { operationSpec } from './spec.ts';

const READ = { readOnly: true, destructive: false, idempotent: true } as const;

/** What an agent can find out before it asks for anything. */
export const discoveryContract = {
  whoami: operationSpec({
    name: 'whoami',
    summary: 'Says which node you are on and what it lets you do here. Call it first.',
    input: noInput,
    output: z.object({
      id: z.string(),
      name: z.string(),
      version: z.string(),
      unseparated: z.boolean().describe('the person and the agent hold one credential'),
      generation: z.number(),
      default_profile: z.string().optional(),
      profiles: z.array(z.string()).describe('that you may ask for on this node'),
      workspaces: z.array(z.string()),
      session: z.string().optional(),
      agent: z.string().optional(),
    }),
    taskToken: 'subtree',
    mcp: { title: 'Who am I', ...READ },
  }),
  list_peers: operationSpec({
    name: 'list_peers',
    summary:
      'Lists the other nodes that you may hand work to, whether they are reachable, and what may be asked of each.',
    input: noInput,
    output: z.object({
      peers: z.array(
        z.object({
          label: z.string().describe('use it as `to` in delegate'),
          id: z.string(),
          address: z.string().optional(),
          enabled: z.boolean(),
          link: z.enum(['up', 'connecting', 'idle', 'down', 'none']).describe('none: it cannot be asked from here'),
          profiles_we_may_ask: z.array(z.string()),
          workspaces_we_may_name: z.array(z.string()),
        }),
      ),
    }),
    taskToken: 'deny',
    mcp: { title: 'List peers', ...READ },
  }),
  list_profiles: operationSpec({
    name: 'list_profiles',
    summary:
      'Lists the profiles of this node, or what a peer offers you. A profile that requires a lease runs only while a person lends one.',
    input: z.strictObject({ peer: nameField.optional().describe('label or id; absent: this node') }),
    output: z.object({
      of: z.string(),
      generation: z.number(),
      profiles: z.array(
        z.object({
          name: z.string(),
          rank: z.number().describe('0 harmless to 4 dangerous'),
          requires_lease: z.boolean(),
          requires_approval: z.boolean(),
          may_ask: z.boolean(),
          runner: z.string().optional(),
          capabilities: z.array(z.string()).optional(),
        }),
      ),
      workspaces: z.array(z.string()),
    }),
    taskToken: 'deny',
    mcp: { title: 'List profiles', ...READ, openWorld: true, toolset: 'policy' },
  }),
  profile_validate: operationSpec({
    name: 'profile_validate',
    summary:
      'Checks a profile that you want to propose against the load rules; changes nothing. High-risk capabilities need both flags.',
    input: z.strictObject({
      name: nameField,
      capabilities: namesField,
      claims: namesField.optional().describe('older spelling of capabilities'),
      shell: z.enum(['allow', 'deny']).optional(),
      network: z.union([z.enum(['allow', 'deny']), z.array(nameField).max(64)]).optional(),
      require_explicit: z.boolean(),
      require_lease: z.boolean(),
      rank: z.number().int().min(0).max(4).optional(),
    }),
    output: z.object({
      valid: z.boolean(),
      rank: z.number(),
      closure: z.array(z.string()),
      violations: z.array(violationField),
      warnings: z.array(z.string()),
    }),
    taskToken: 'deny',
    mcp: { title: 'Check a profile', ...READ, toolset: 'policy' },
  }),
} as const;
