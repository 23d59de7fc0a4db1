import { z } from 'zod';
import { countField } from './fields.ts';
import { operationSpec, streamSpec } from './spec.ts';

/** One row of the audit trail. */
const entryField = z.object({
  seq: z.number(),
  at_ms: z.number(),
  kind: z.string(),
  action: z.string(),
  actor: z.string(),
  subject: z.string().optional(),
  details: z.record(z.string(), z.unknown()).optional(),
});

/** A signed note; a file that is kept elsewhere may hold several. */
const checkpointField = z.string().min(1).max(1_000_000);

const reportField = z.object({
  ok: z.boolean(),
  node: z.string().describe('whose log it is'),
  rows: z.number(),
  written: z.number().describe('entries in the files'),
  signed: z.number().describe('entries that the newest checkpoint counts'),
  checkpoints: z.number().describe('those that hold'),
  kept: z.array(z.object({ size: z.number(), root: z.string(), holds: z.boolean() })),
  problems: z.array(
    z.object({
      where: z.enum(['rows', 'file', 'hashes', 'checkpoint', 'kept-checkpoint', 'bundle']),
      kind: z.string().describe('such as edited, missing, cut, forked'),
      from: z.number().optional().describe('first entry that it is about'),
      to: z.number().optional(),
      message: z.string(),
      next_steps: z.array(z.string()),
    }),
  ),
  more: z.number().describe('problems beyond those'),
  notes: z.array(z.string()),
});

/** The audit log; for a person. */
export const auditContract = {
  audit_tail: operationSpec({
    name: 'audit_tail',
    summary: 'Shows the newest lines of the audit trail.',
    input: z.strictObject({ limit: z.number().int().min(1).max(1000).default(50) }),
    output: z.object({ entries: z.array(entryField) }),
    taskToken: 'deny',
  }),
  audit_show: operationSpec({
    name: 'audit_show',
    summary: 'Shows an entry of the audit log, with the proof that the newest checkpoint counts it.',
    input: z.strictObject({ entry: z.number().int().min(1) }),
    output: z.object({
      entry: entryField,
      leaf: z.string().describe('hash of the entry, hex'),
      proof: z
        .object({
          index: z.number().describe('of the entry, from 0'),
          size: z.number(),
          hashes: z.array(z.string()).describe('from the leaf upwards, hex'),
          checkpoint: z.string().describe('signed note'),
        })
        .optional()
        .describe('absent: no checkpoint counts it yet'),
    }),
    taskToken: 'deny',
  }),
  audit_verify: streamSpec({
    name: 'audit_verify',
    summary:
      'Checks rows, files and checkpoints of the audit log against each other, and against checkpoints kept elsewhere.',
    input: z.strictObject({ checkpoints: z.array(checkpointField).max(16).default([]) }),
    item: z.object({
      checked: z.number().optional().describe('entries so far'),
      report: reportField.optional().describe('the last item'),
    }),
    taskToken: 'deny',
  }),
  audit_export: streamSpec({
    name: 'audit_export',
    summary: 'Gives entries of the audit log with checkpoint and proofs, as the lines of a bundle.',
    input: z.strictObject({
      from: z.number().int().min(1).optional(),
      to: countField.optional(),
      since: checkpointField.optional().describe('earlier checkpoint: what came after it'),
    }),
    item: z.object({ line: z.string() }),
    taskToken: 'deny',
  }),
} as const;
