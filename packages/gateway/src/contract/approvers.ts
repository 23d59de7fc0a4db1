import { z } from 'zod';
import { nameField, noInput } from './fields.ts';
import { operationSpec } from './spec.ts';

/** Who answers on this node. Public keys only: a passphrase never leaves its terminal. */
export const approverContract = {
  approver_list: operationSpec({
    name: 'approver_list',
    summary: 'Lists who answers on this node, and whether anybody has to.',
    input: noInput,
    output: z.object({
      mode: z.enum(['passphrase', 'terminal']),
      needed: z.boolean().describe('what gives somebody more needs an answer'),
      approvers: z.array(z.object({ id: z.string(), label: z.string(), kind: z.string(), enrolled_at_ms: z.number() })),
    }),
    taskToken: 'deny',
  }),
  approver_enroll: operationSpec({
    name: 'approver_enroll',
    summary: 'Enrols the first approver by its public key; any further one is a question to those who are there.',
    input: z.strictObject({
      id: z.string().min(1).max(128),
      public_key: z.string().min(1).max(512),
      label: nameField,
    }),
    output: z.object({ id: z.string(), label: z.string() }),
    taskToken: 'deny',
  }),
} as const;
