import { z } from 'zod';
import { durationField, nameField, namesField, noInput } from './fields.ts';
import { operationSpec, streamSpec } from './spec.ts';

const peerView = z.object({
  label: z.string(),
  id: z.string(),
  address: z.string().optional(),
  enabled: z.boolean(),
  link: z.enum(['up', 'connecting', 'idle', 'down', 'none']),
  /** What it may ask for here. */
  profiles: z.array(z.string()),
  workspaces: z.array(z.string()),
  /** What may be asked of it. */
  outbound_profiles: z.array(z.string()),
  outbound_workspaces: z.array(z.string()),
});

const proved = z.object({
  kind: z.literal('proved'),
  peer_id: z.string(),
  label: z.string(),
  words: z.string(),
  approval: z.string().optional().describe('the question that an approver answers instead of peer_confirm'),
});

/** Making, showing and unmaking peers; for a person. */
export const peerContract = {
  peer_invite: streamSpec({
    name: 'peer_invite',
    summary: 'Makes an invite and reports what becomes of it; confirm with peer_confirm once somebody has proved it.',
    input: z.strictObject({
      profiles: namesField.min(1),
      workspaces: namesField.default([]),
      lease: durationField.optional(),
      address: nameField.optional().describe('host:port under which the joiner reaches this node'),
    }),
    item: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('invite'), id: z.string(), code: z.string(), expires_at_ms: z.number() }),
      proved,
      z.object({ kind: z.literal('paired'), peer_id: z.string(), label: z.string(), generation: z.number() }),
      z.object({
        kind: z.literal('refused'),
        why: z.string().optional().describe('absent: the person said no'),
        next_steps: z.array(z.string()).optional(),
      }),
      z.object({ kind: z.literal('expired') }),
    ]),
    taskToken: 'deny',
  }),
  peer_confirm: operationSpec({
    name: 'peer_confirm',
    summary: 'Answers the short words of an invite: yes pairs, no refuses.',
    input: z.strictObject({ invite: nameField, accept: z.boolean() }),
    output: z.object({ invite: z.string(), accepted: z.boolean() }),
    taskToken: 'deny',
  }),
  peer_join: streamSpec({
    name: 'peer_join',
    summary: 'Redeems an invite of another node.',
    input: z.strictObject({ code: z.string().min(1).max(4096) }),
    item: z.discriminatedUnion('kind', [
      proved,
      z.object({
        kind: z.literal('asked'),
        peer_id: z.string(),
        label: z.string(),
        approval: z.string().describe('an approver of this node answers it'),
      }),
      z.object({
        kind: z.literal('paired'),
        peer_id: z.string(),
        label: z.string(),
        profiles: z.array(z.string()),
        workspaces: z.array(z.string()),
        lease_ms: z.number().optional(),
        generation: z.number(),
      }),
    ]),
    taskToken: 'deny',
  }),
  peer_list: operationSpec({
    name: 'peer_list',
    summary: 'Lists the paired nodes.',
    input: noInput,
    output: z.object({ peers: z.array(peerView) }),
    taskToken: 'deny',
    mcp: { title: 'All peers', readOnly: true, destructive: false, idempotent: true, toolset: 'setup' },
  }),
  peer_show: operationSpec({
    name: 'peer_show',
    summary: 'Shows one peer: what it may ask for here, what may be asked of it, its link.',
    input: z.strictObject({ peer: nameField }),
    output: peerView.extend({
      max_depth: z.number(),
      may_request_lease: z.boolean(),
      accept_origins: z.array(z.string()),
      ceilings: z.record(z.string(), z.string()),
      max_concurrent: z.number().optional(),
      tasks_per_hour: z.number().optional(),
      ship: z.boolean(),
      live_leases: z.number(),
      generation: z.number(),
    }),
    taskToken: 'deny',
    mcp: { title: 'One peer', readOnly: true, destructive: false, idempotent: true, toolset: 'setup' },
  }),
  peer_remove: operationSpec({
    name: 'peer_remove',
    summary: 'Takes a peer out of the configuration, its pin away, and ends its work.',
    input: z.strictObject({ peer: nameField }),
    output: z.object({ label: z.string(), generation: z.number() }),
    taskToken: 'deny',
    mcp: { title: 'Remove a peer', readOnly: false, destructive: true, idempotent: true, toolset: 'setup' },
  }),
} as const;
