import { z } from 'zod';
import { nameField } from './fields.ts';
import { decisionView } from './policy.ts';
import { operationSpec } from './spec.ts';

const READ = { readOnly: true, destructive: false, idempotent: true } as const;

const questionShape = {
  profile: nameField.optional().describe("absent: the node's default"),
  workspace: nameField.optional(),
  runner: nameField.optional(),
};

/** What an agent can find out about a wish before, or after, it asks for it. */
export const guidanceContract = {
  check_policy: operationSpec({
    name: 'check_policy',
    summary:
      'Says whether delegate with these values would be allowed, would wait for a person (ask), or is denied, and what would help. Starts nothing. Use it before work that takes long to prepare, or after a denial.',
    input: z.strictObject({ to: nameField.default('self').describe('as in delegate'), ...questionShape }),
    output: z.object({
      to: z.string(),
      by: z.enum(['here', 'peer']),
      effect: z.enum(['allow', 'ask', 'deny']),
      code: z.string(),
      message: z.string(),
      next_steps: z.array(z.string()),
      profile: z.string().optional().describe('effective profile'),
      runner: z.string().optional(),
      generation: z.number(),
      not_asked: z.string().optional().describe('why the peer did not answer; it may refuse'),
    }),
    taskToken: 'deny',
    mcp: { title: 'Check policy', ...READ, openWorld: true },
  }),
  explain_decision: operationSpec({
    name: 'explain_decision',
    summary:
      "Decides again, without effect, what this node says to a wish, with every rule that was looked at and its line in writ.toml. For a person who asks why; what a peer's own rules say stays there.",
    input: z.strictObject({ to: nameField.default('self').describe('as in delegate'), ...questionShape }),
    output: decisionView,
    taskToken: 'deny',
    mcp: { title: 'Explain a decision', ...READ, toolset: 'policy' },
  }),
} as const;
