import { z } from 'zod';
import { durationField, endField, nameField, namesField } from './fields.ts';
import { operationSpec } from './spec.ts';

/** A lease as a person, or an agent that may use it, sees it. */
export const leaseView = z.object({
  id: z.string(),
  peer: z.string().describe('label, or self'),
  peer_id: z.string(),
  origin: z.string(),
  session: z.string().optional(),
  profile: z.string(),
  closure: z.array(z.string()),
  workspaces: z.array(z.string()).describe('empty: every one that the peer has'),
  issued_by: z.string(),
  issued_at_ms: z.number(),
  expires_at_ms: z.number(),
  max_uses: z.number().optional(),
  uses: z.number(),
  revoked_at_ms: z.number().optional(),
  live: z.boolean(),
});

/** Lending authority and taking it back; for a person, but for asking. */
export const leaseContract = {
  lease_grant: operationSpec({
    name: 'lease_grant',
    summary: 'Lends a profile to a peer for a time.',
    input: z.strictObject({
      peer: nameField.describe('label or id, or self'),
      profile: nameField,
      duration: durationField.optional(),
      ends_at_ms: endField.optional(),
      workspaces: namesField.optional(),
      max_uses: z.number().int().min(1).max(1_000_000).optional(),
      origin: nameField.optional().describe('whose work it serves that comes through the peer; absent: its own'),
    }),
    output: z.object({ lease: leaseView }),
    taskToken: 'deny',
  }),
  lease_list: operationSpec({
    name: 'lease_list',
    summary: 'Lists leases, newest first; with all, dead ones too.',
    input: z.strictObject({ peer: nameField.optional(), all: z.boolean().default(false) }),
    output: z.object({ leases: z.array(leaseView) }),
    taskToken: 'deny',
    mcp: { title: 'All leases', readOnly: true, destructive: false, idempotent: true, toolset: 'setup' },
  }),
  lease_show: operationSpec({
    name: 'lease_show',
    summary: 'Shows one lease, dead or alive.',
    input: z.strictObject({ lease: nameField }),
    output: z.object({ lease: leaseView.extend({ issued_by_label: z.string().optional() }) }),
    taskToken: 'deny',
  }),
  lease_renew: operationSpec({
    name: 'lease_renew',
    summary: 'Lets a live lease end later, within its own maximum.',
    input: z.strictObject({
      lease: nameField,
      duration: durationField.optional().describe('from now on'),
      ends_at_ms: endField.optional(),
    }),
    output: z.object({ lease: leaseView }),
    taskToken: 'deny',
  }),
  request_lease: operationSpec({
    name: 'request_lease',
    summary:
      'Asks the person of a node to lend a profile for a time: what to do after LEASE_REQUIRED. Answers at once; the same call tells what became of it. Tell the person, and delegate again once it is approved.',
    input: z.strictObject({
      peer: nameField.default('self').describe('node that should lend: label or id, or self'),
      profile: nameField,
      duration: durationField,
      workspaces: namesField.optional(),
      max_uses: z.number().int().min(1).max(1_000_000).optional(),
      only_this_session: z.boolean().default(false),
      reason: z.string().min(1).max(2000).optional(),
      idempotency_key: z.string().min(1).max(128).optional(),
    }),
    output: z.object({
      asked: z.boolean(),
      approval: z.string().optional().describe('the question, on the node that was asked'),
      expires_at_ms: z.number().optional(),
      state: z.enum(['pending', 'approved', 'denied', 'expired', 'cancelled']).optional().describe('what became of it'),
      code: z.string().optional().describe('why it was not asked'),
      message: z.string().optional(),
      next_steps: z.array(z.string()).optional(),
    }),
    taskToken: 'deny',
    mcp: { title: 'Ask for a lease', readOnly: false, destructive: false, idempotent: true, openWorld: true },
  }),
  lease_revoke: operationSpec({
    name: 'lease_revoke',
    summary: 'Takes a lease back and ends what runs under it.',
    input: z.strictObject({ lease: nameField }),
    output: z.object({ lease: z.string(), revoked: z.boolean().describe('false: it was revoked before') }),
    taskToken: 'deny',
  }),
} as const;
