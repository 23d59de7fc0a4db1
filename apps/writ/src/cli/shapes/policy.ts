import { contract } from '@writ/gateway';
import { z } from 'zod';
import { type JsonShapes, lines, one } from './types.ts';

const commandClass = z.enum(['read', 'config-mutation', 'destructive']);

const classification = z.object({
  class: commandClass,
  rule: z.string(),
  reason: z.string(),
  needs: z.array(z.string()),
  target: z.string().optional().describe('the one thing that it acts on'),
  known: z.boolean(),
  commands: z.array(
    z.object({
      argv: z.array(z.string()),
      host: z.string(),
      class: commandClass,
      rule: z.string(),
      reason: z.string(),
      needs: z.array(z.string()),
      unplaced: z.literal(true).optional(),
      patterns: z.array(z.string()).optional().describe('arguments that a shell replaces by names of files'),
      targets: z.array(z.string()),
    }),
  ),
});

const caseReport = z.object({
  passed: z.number(),
  failed: z.number(),
  failures: z.array(z.object({ name: z.string(), expected: z.string(), got: z.string() })),
});

const effective = z.object({
  file: z.string(),
  values: z.array(
    z.object({
      key: z.string(),
      value: z.unknown(),
      source: z.enum(['file', 'default']),
      line: z.number().optional(),
    }),
  ),
});

const change = z.object({ subject: z.string(), effect: z.enum(['gains', 'loses']), what: z.string() });

/** A line of a bundle, whose form docs/audit.md says; a checkpoint alone is text in an object. */
const exported = z.union([
  z.object({ checkpoint: z.string() }),
  z.object({ file: z.string() }),
  z.record(z.string(), z.unknown()),
]);

/** Policy, configuration and the audit log. */
export const policyShapes: JsonShapes = {
  'policy validate': one(contract.policy_validate.output),
  'policy explain': one(contract.policy_explain.output),
  'policy test': one(z.union([contract.policy_test.output, caseReport])),
  'policy reload': one(contract.policy_reload.output),
  'policy status': one(contract.policy_status.output),
  'policy diff': one(z.object({ changes: z.array(change), gains: z.number(), loses: z.number() })),
  'policy classify': one(z.union([classification, caseReport])),
  'profile validate': one(contract.profile_validate.output),
  'config schema': one(z.record(z.string(), z.unknown())),
  'config show': one(effective),
  'audit tail': lines(contract.audit_tail.output.shape.entries.element),
  'audit show': one(z.union([contract.audit_show.output, z.object({ proof: z.string() })])),
  'audit verify': one(contract.audit_verify.item.shape.report.unwrap()),
  'audit export': lines(exported),
};
