import { z } from 'zod';
import { digestField, durationField, nameField, namesField, noInput, violationField } from './fields.ts';
import { operationSpec } from './spec.ts';

const change = z.object({ subject: z.string(), effect: z.enum(['gains', 'loses']), what: z.string() });

const dry = z.boolean().default(false).describe('only show what would change');

/** What a change of the configuration came to, or would. */
const proposal = z.object({
  changed: z.boolean().describe('the file is another one now'),
  digest: digestField.describe('of the file as it is now'),
  valid: z.boolean(),
  violations: z.array(violationField),
  difference: z.string().describe('lines that go and come'),
  changes: z.array(change).describe('who gets more and less'),
  in_force: z.boolean().describe('false: not written, or parts of it wait for a person'),
  waits: z
    .array(change)
    .describe('gives someone more; has no effect before a person says yes (with dry_run: would have none)'),
  approval: z.string().optional().describe('the question that a person answers; no tool can'),
  generation: z.number(),
  restart_needed: z.array(z.string()),
  next_steps: z.array(z.string()),
});

const edit = { title: 'Change', readOnly: false, destructive: false, idempotent: true, toolset: 'setup' } as const;
const drop = { ...edit, destructive: true } as const;
const look = { title: 'Look', readOnly: true, destructive: false, idempotent: true, toolset: 'setup' } as const;

/** Keys of a profile; what is absent stays as it is. */
const profileKeys = {
  capabilities: namesField.optional(),
  runner: nameField.optional(),
  shell: z.enum(['allow', 'deny']).optional(),
  network: z.union([z.enum(['allow', 'deny']), z.array(nameField).max(64)]).optional(),
  commands: z
    .array(z.array(z.string().min(1).max(1024)).min(1).max(64))
    .max(256)
    .optional()
    .describe('argv patterns'),
  require_explicit: z.boolean().optional(),
  require_lease: z.boolean().optional(),
  require_approval: z.boolean().optional(),
  timeout: durationField.optional(),
  max_output: z.string().max(32).optional().describe('such as 8MiB'),
  isolation: z.enum(['required', 'none']).optional(),
};

/** Setting a node up: proposals of changes to `writ.toml`, and what a person types for the rest. */
export const setupContract = {
  setup_profile: operationSpec({
    name: 'setup_profile',
    summary:
      'Adds a profile, or changes some keys of one. High-risk capabilities need require_explicit and require_lease.',
    input: z.strictObject({ name: nameField, ...profileKeys, dry_run: dry }),
    output: proposal,
    taskToken: 'deny',
    mcp: { ...edit, title: 'Set up a profile' },
  }),
  setup_profile_remove: operationSpec({
    name: 'setup_profile_remove',
    summary: 'Takes a profile out. Whatever still names it makes the file invalid, and then nothing is written.',
    input: z.strictObject({ name: nameField, dry_run: dry }),
    output: proposal,
    taskToken: 'deny',
    mcp: { ...drop, title: 'Remove a profile' },
  }),
  setup_ceiling: operationSpec({
    name: 'setup_ceiling',
    summary: 'Cuts requests for a profile down to another one, for everybody or for one peer.',
    input: z.strictObject({ profile: nameField, ceiling: nameField, peer: nameField.optional(), dry_run: dry }),
    output: proposal,
    taskToken: 'deny',
    mcp: { ...edit, title: 'Set a ceiling' },
  }),
  setup_ceiling_remove: operationSpec({
    name: 'setup_ceiling_remove',
    summary: 'Takes a ceiling away, which gives more: it waits for a person.',
    input: z.strictObject({ profile: nameField, peer: nameField.optional(), dry_run: dry }),
    output: proposal,
    taskToken: 'deny',
    mcp: { ...drop, title: 'Remove a ceiling' },
  }),
  setup_workspace: operationSpec({
    name: 'setup_workspace',
    summary: 'Offers a repository under a name; nobody may use it before a peer, or self, lists it.',
    input: z.strictObject({
      name: nameField,
      path: z.string().min(1).max(4096).describe('absolute, or ~/…'),
      dry_run: dry,
    }),
    output: proposal,
    taskToken: 'deny',
    mcp: { ...edit, title: 'Offer a workspace' },
  }),
  setup_workspace_remove: operationSpec({
    name: 'setup_workspace_remove',
    summary: 'Offers a repository no more.',
    input: z.strictObject({ name: nameField, dry_run: dry }),
    output: proposal,
    taskToken: 'deny',
    mcp: { ...drop, title: 'Remove a workspace' },
  }),
  setup_peer: operationSpec({
    name: 'setup_peer',
    summary:
      'Changes what a paired peer may ask for here, what may be asked of it, or its address. Pairing itself is for persons.',
    input: z.strictObject({
      peer: nameField,
      profiles: namesField.optional(),
      workspaces: namesField.optional(),
      address: nameField.optional(),
      max_depth: z.number().int().min(0).max(8).optional(),
      may_request_lease: z.boolean().optional(),
      enabled: z.boolean().optional(),
      outbound_profiles: namesField.optional(),
      outbound_workspaces: namesField.optional(),
      ship: z.boolean().optional(),
      dry_run: dry,
    }),
    output: proposal,
    taskToken: 'deny',
    mcp: { ...edit, title: 'Change a peer' },
  }),
  setup_self: operationSpec({
    name: 'setup_self',
    summary: "Changes what this machine's own agents may ask of this node.",
    input: z.strictObject({ profiles: namesField.optional(), workspaces: namesField.optional(), dry_run: dry }),
    output: proposal,
    taskToken: 'deny',
    mcp: { ...edit, title: 'Change own rules' },
  }),
  setup_configuration: operationSpec({
    name: 'setup_configuration',
    summary: 'Puts a whole text in the place of writ.toml, or with dry_run compares it: who gains and who loses what.',
    input: z.strictObject({
      text: z.string().max(2_097_152),
      digest: digestField.describe('of the text that yours began with, from setup_show; another file is refused'),
      dry_run: dry,
    }),
    output: proposal,
    taskToken: 'deny',
    mcp: { ...drop, title: 'Replace the configuration' },
  }),
  setup_revert: operationSpec({
    name: 'setup_revert',
    summary: 'Puts back the configuration from before the last change by these tools.',
    input: z.strictObject({
      digest: digestField.describe('that the change to take back gave, or setup_show'),
      dry_run: dry,
    }),
    output: proposal,
    taskToken: 'deny',
    mcp: { ...drop, title: 'Take the last change back', idempotent: false },
  }),
  setup_reload: operationSpec({
    name: 'setup_reload',
    summary: 'Loads writ.toml as it stands; what gives someone more waits for a person.',
    input: noInput,
    output: proposal,
    taskToken: 'deny',
    mcp: { ...edit, title: 'Reload the policy' },
  }),
  setup_show: operationSpec({
    name: 'setup_show',
    summary:
      'The text of writ.toml, with its comments, and its digest, which setup_configuration and setup_revert take.',
    input: noInput,
    output: z.object({ text: z.string(), digest: digestField }),
    taskToken: 'deny',
    mcp: { ...look, title: 'Show the configuration' },
  }),
  setup_invite: operationSpec({
    name: 'setup_invite',
    summary: 'Says what persons type on both machines to pair them with these rights. An agent pairs nobody.',
    input: z.strictObject({
      profiles: namesField.min(1),
      workspaces: namesField.default([]),
      lease: durationField.optional(),
    }),
    output: z.object({ here: z.string(), there: z.string(), notes: z.array(z.string()) }),
    taskToken: 'deny',
    mcp: { ...look, title: 'Prepare an invite' },
  }),
  setup_clients: operationSpec({
    name: 'setup_clients',
    summary: 'Agents on this machine, whether they know this node, and what a person types to tell them.',
    input: noInput,
    output: z.object({
      clients: z.array(
        z.object({
          client: z.string(),
          here: z.boolean(),
          state: z.string(),
          file: z.string(),
          install: z.string().describe('the command for a person'),
        }),
      ),
    }),
    taskToken: 'deny',
    mcp: { ...look, title: 'Agents and this node' },
  }),
  setup_client: operationSpec({
    name: 'setup_client',
    summary: 'What registering this node with one agent would run or write.',
    input: z.strictObject({ client: nameField }),
    output: z.object({
      install: z.string(),
      command: z.array(z.string()).optional(),
      file: z.string(),
      settings: z.string(),
    }),
    taskToken: 'deny',
    mcp: { ...look, title: 'Prepare a registration' },
  }),
  setup_service: operationSpec({
    name: 'setup_service',
    summary: 'The node as a service of its user: whether it is one, and what would be written.',
    input: noInput,
    output: z.object({
      kind: z.string(),
      file: z.string(),
      text: z.string(),
      installed: z.boolean(),
      install: z.string().describe('the command for a person'),
    }),
    taskToken: 'deny',
    mcp: { ...look, title: 'Prepare a service' },
  }),
} as const;
