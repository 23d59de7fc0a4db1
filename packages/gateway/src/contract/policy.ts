import { z } from 'zod';
import { deprecationField, nameField, noInput, violationField } from './fields.ts';
import { operationSpec } from './spec.ts';

const changeField = z.object({ subject: z.string(), effect: z.enum(['gains', 'loses']), what: z.string() });

const grantField = z.object({
  closure: z.array(z.string()),
  rank: z.number(),
  network: z.union([z.string(), z.array(z.string())]),
  timeout_ms: z.number(),
  max_output_bytes: z.number(),
  isolation: z.string(),
  depth: z.number(),
});

/** A decision with every rule that was looked at. */
export const decisionView = z.object({
  direction: z.enum(['incoming', 'outgoing']),
  subject: z.string(),
  effect: z.enum(['allow', 'ask', 'deny']),
  code: z.string(),
  message: z.string(),
  next_steps: z.array(z.string()),
  requested_profile: z.string().optional(),
  effective_profile: z.string().optional(),
  effective_runner: z.string().optional(),
  grant: grantField.optional(),
  lease_id: z.string().optional(),
  generation: z.number(),
  trace: z.array(
    z.object({
      rule: z.string(),
      outcome: z.enum(['pass', 'cut', 'ask', 'deny', 'skip']),
      detail: z.string(),
      path: z.string().optional(),
      line: z.number().optional(),
    }),
  ),
});

/** The policy of this node; for a person, but for its state. */
export const policyContract = {
  policy_validate: operationSpec({
    name: 'policy_validate',
    summary: 'Checks a configuration text, or the file as it stands, without loading it; reports everything at once.',
    input: z.strictObject({ text: z.string().max(2_097_152).optional() }),
    output: z.object({
      valid: z.boolean(),
      violations: z.array(violationField),
      deprecations: z.array(deprecationField),
    }),
    taskToken: 'deny',
    mcp: { title: 'Check a configuration', readOnly: true, destructive: false, idempotent: true, toolset: 'setup' },
  }),
  policy_explain: operationSpec({
    name: 'policy_explain',
    summary:
      'Decides without effect, with every rule that was looked at: what `from` would get here, or what may go `to`.',
    input: z
      .strictObject({
        from: nameField.optional().describe('label or id of a peer; absent: self'),
        to: nameField.optional().describe('label or id of a peer'),
        profile: nameField.optional(),
        workspace: nameField.optional(),
        runner: nameField.optional(),
      })
      .refine((input) => input.from === undefined || input.to === undefined, { message: 'give either from or to' }),
    output: decisionView,
    taskToken: 'deny',
  }),
  policy_test: operationSpec({
    name: 'policy_test',
    summary: 'Runs the tests in the configuration file.',
    input: noInput,
    output: z.object({
      passed: z.boolean(),
      tests: z.array(
        z.object({
          name: z.string(),
          ok: z.boolean(),
          expected: z.string(),
          got: z.string(),
          line: z.number().optional(),
        }),
      ),
    }),
    taskToken: 'deny',
    mcp: {
      title: 'Run the tests of the policy',
      readOnly: true,
      destructive: false,
      idempotent: true,
      toolset: 'setup',
    },
  }),
  policy_reload: operationSpec({
    name: 'policy_reload',
    summary: 'Loads the configuration file in place; accept also takes what gives someone more.',
    input: z.strictObject({ accept: z.boolean().default(false) }),
    output: z.object({
      reloaded: z.boolean(),
      generation: z.number(),
      violations: z.array(violationField),
      parked: z.array(changeField),
      restart_needed: z.array(z.string()),
    }),
    taskToken: 'deny',
  }),
  policy_status: operationSpec({
    name: 'policy_status',
    summary: 'Shows the policy in force, and the last reload that failed.',
    input: noInput,
    output: z.object({
      generation: z.number(),
      digest: z.string(),
      loaded_at_ms: z.number(),
      deprecations: z.array(deprecationField),
      last_error: z
        .object({
          at_ms: z.number(),
          violations: z.array(violationField),
          unreadable: z.string().optional().describe('why the file could not be read'),
        })
        .optional(),
      parked: z.array(changeField),
      unused_yes_at_ms: z
        .number()
        .optional()
        .describe('a yes came to nothing: what it was to was loaded no more before it was in force'),
      shut: z.boolean().describe('nobody is let in until a person accepts'),
      restart_needed: z.array(z.string()).describe('accepted, and in force once the node has started again'),
    }),
    taskToken: 'deny',
    mcp: { title: 'Policy status', readOnly: true, destructive: false, idempotent: true, toolset: 'policy' },
  }),
} as const;
