import { z } from 'zod';
import { countField, durationField, endField, nameField, namesField, noInput } from './fields.ts';
import { operationSpec, streamSpec } from './spec.ts';

const KINDS = ['task', 'lease', 'execution', 'plan', 'permission', 'credential', 'policy', 'peer'] as const;
const STATES = ['pending', 'approved', 'denied', 'expired', 'cancelled'] as const;
const CHECKS = ['id', 'pending', 'session', 'task', 'digest', 'policy', 'scope', 'approver'] as const;

/** Who may look, for agents: what their own session asked, and nothing that answers. */
const READ = { readOnly: true, destructive: false, idempotent: true, toolset: 'authority' } as const;

/** Id of a question. */
const approvalField = z.string().min(1).max(128).describe('approval id');
const scopeField = z.enum(['once', 'session', 'target']);
const answerField = z.enum(['approve', 'deny']);

/** What a lease grant says, as a person types it. */
const leaseTerms = {
  peer: nameField.describe('label or id, or self'),
  profile: nameField,
  duration: durationField.optional(),
  ends_at_ms: endField.optional(),
  workspaces: namesField.optional(),
  max_uses: z.number().int().min(1).max(1_000_000).optional(),
  origin: nameField.optional(),
};

const approvalRow = z.object({
  id: z.string(),
  kind: z.enum(KINDS),
  state: z.enum(STATES),
  about: z.string().describe('the first line of what would be done'),
  requested_by: z.string().describe('label of a node, self, or person'),
  agent: z.string(),
  session: z.string(),
  origin: z.string(),
  task: z.string().optional(),
  scopes: z.array(scopeField),
  created_at_ms: z.number(),
  expires_at_ms: z.number(),
  decided_at_ms: z.number().optional(),
  decided_by: z.string().optional().describe('id of an approver, terminal, or node'),
  decided_by_label: z.string().optional(),
  scope: scopeField.optional(),
});

const approvalView = approvalRow.extend({
  digest: z.string(),
  preview: z.string().describe('all of what would be done; control characters are written out'),
  generation: z.number(),
});

const statementField = z.strictObject({
  node: z.string().max(256),
  approval: approvalField,
  kind: z.string().max(64),
  digest: z.string().max(128),
  preview: z.string().max(128),
  answer: answerField,
  scope: scopeField.optional(),
  expiresAtMs: countField,
});

const proofField = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('terminal') }),
  z.strictObject({
    kind: z.literal('passphrase'),
    approver: z.string().min(1).max(128),
    signature: z.string().min(1).max(512),
  }),
]);

/** Questions to persons, and their answers; for a person. */
export const approvalContract = {
  approval_list: operationSpec({
    name: 'approval_list',
    summary: 'Lists the questions that wait for a person, newest first; with all, those that were answered too.',
    input: z.strictObject({
      all: z.boolean().default(false),
      limit: z.number().int().min(1).max(1000).default(100),
    }),
    output: z.object({ approvals: z.array(approvalRow) }),
    taskToken: 'deny',
  }),
  list_approvals: operationSpec({
    name: 'list_approvals',
    summary:
      'Lists what was asked of a person of this node in this piece of work, newest first; nothing here answers. With all, what was answered too.',
    input: z.strictObject({
      all: z.boolean().default(false),
      limit: z.number().int().min(1).max(200).default(20),
    }),
    output: z.object({
      approvals: z.array(
        approvalRow.omit({ origin: true, session: true, agent: true, decided_by: true, decided_by_label: true }),
      ),
    }),
    taskToken: 'subtree',
    mcp: { title: 'List questions to persons', ...READ },
  }),
  approval_show: operationSpec({
    name: 'approval_show',
    summary: 'Shows one question whole.',
    input: z.strictObject({ approval: approvalField }),
    output: z.object({ approval: approvalView }),
    taskToken: 'deny',
  }),
  approval_ask: operationSpec({
    name: 'approval_ask',
    summary: 'Puts a question in the name of the person at this node: what an approver has to say yes to.',
    input: z.strictObject({
      about: z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('lease_grant'), ...leaseTerms }),
        z.strictObject({
          ...{ kind: z.literal('lease_renew'), lease: nameField },
          ...{ duration: durationField.optional(), ends_at_ms: endField.optional() },
        }),
        z.strictObject({ kind: z.literal('policy') }),
        z.strictObject({ kind: z.literal('clock') }),
        z.strictObject({
          kind: z.literal('approver_enroll'),
          id: z.string().min(1).max(128),
          public_key: z.string().min(1).max(512),
          label: nameField,
        }),
        z.strictObject({ kind: z.literal('approver_remove'), approver: nameField }),
      ]),
    }),
    output: z.object({
      approval: approvalView,
      ticket: z.string().describe('takes the question back: approval_withdraw; of no use after a restart of the node'),
    }),
    taskToken: 'deny',
  }),
  approval_statement: operationSpec({
    name: 'approval_statement',
    summary: 'Gives what an approver signs to answer a question so.',
    input: z.strictObject({ approval: approvalField, answer: answerField, scope: scopeField.optional() }),
    output: z.object({ statement: statementField }),
    taskToken: 'deny',
  }),
  approval_decide: operationSpec({
    name: 'approval_decide',
    summary: 'Takes a signed answer; a check that fails is told and changes nothing.',
    input: z.strictObject({ statement: statementField, proof: proofField }),
    output: z.object({
      decided: z.boolean(),
      approval: approvalView.optional(),
      in_force: z
        .boolean()
        .optional()
        .describe(
          'of a yes to a configuration: false where another text was loaded by then, or a fault came in between',
        ),
      check: z.enum(CHECKS).optional().describe('which check failed'),
      code: z.string().optional(),
      message: z.string().optional(),
      next_steps: z.array(z.string()).optional(),
      decided_by: z.string().optional().describe('who was faster'),
      decided_by_label: z.string().optional(),
    }),
    taskToken: 'deny',
  }),
  approval_withdraw: operationSpec({
    name: 'approval_withdraw',
    summary:
      'Takes back a question that was asked in the name of the person, by the ticket that whoever asked it has; answers nothing.',
    input: z.strictObject({ approval: approvalField, ticket: z.string().min(1).max(128) }),
    output: z.object({ approval: z.string(), withdrawn: z.boolean() }),
    taskToken: 'deny',
  }),
  approval_watch: streamSpec({
    name: 'approval_watch',
    summary: 'Tells each question that waits, then each that is asked or answered.',
    input: noInput,
    item: z.object({ approval: approvalView }),
    taskToken: 'deny',
  }),
} as const;
