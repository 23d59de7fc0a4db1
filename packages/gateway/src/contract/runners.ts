import { z } from 'zod';
import { noInput } from './fields.ts';
import { operationSpec } from './spec.ts';

const sandboxField = z
  .enum(['runs', 'unknown', 'not-shown', 'fails', 'no-sandbox'])
  .describe('whether a sandbox of this machine can run it; unknown: it is there inside and was not started');

const stepsField = z.array(z.string()).describe('what to do');

/** What does the work on this machine; for a person. */
export const runnerContract = {
  runner_list: operationSpec({
    name: 'runner_list',
    summary: 'Lists the runners that are configured, the agents that are installed, and what stands in their way.',
    input: noInput,
    output: z.object({
      sandbox: z.string().describe('what tasks run in where their profile requires isolation'),
      runners: z.array(
        z.object({
          name: z.string(),
          kind: z.enum(['shell', 'command', 'acp', 'codex', 'claude']),
          program: z.string().optional().describe('as it is configured; absent: the command of each request'),
          path: z.string().optional().describe('where it was found; absent: it was not'),
          agent: z.string().optional().describe('name of a known agent'),
          sandbox: sandboxField.optional(),
          profiles: z.array(z.string()).describe('that use it'),
          problems: z.array(z.object({ profile: z.string().optional(), message: z.string(), next_steps: stepsField })),
        }),
      ),
      agents: z.array(
        z.object({
          name: z.string(),
          kind: z.enum(['acp', 'codex', 'claude']),
          argv: z.array(z.string()).describe('of its runner'),
          installed: z.boolean(),
          path: z.string().optional(),
          version: z.string().optional(),
          sandbox: sandboxField.optional(),
          asks_leave: z.boolean().describe('it asks before a tool call: a person can be asked'),
          usage: z.array(z.enum(['tokens', 'cost'])).describe('what of its use it tells'),
          runners: z.array(z.string()).describe('that start it'),
          problem: z.string().optional(),
          next_steps: stepsField,
        }),
      ),
    }),
    taskToken: 'deny',
  }),
} as const;
