import { z } from 'zod';
import { nameField, noInput } from './fields.ts';
import { operationSpec } from './spec.ts';

/** What runs without asking; for a person. */
export const windowContract = {
  window_list: operationSpec({
    name: 'window_list',
    summary: 'Lists the windows that are open: whose actions run without asking, and until when.',
    input: noInput,
    output: z.object({
      windows: z.array(
        z.object({
          id: z.string(),
          kind: z.enum(['assent', 'destructive']),
          origin: z.string(),
          session: z.string(),
          agent: z.string(),
          target: z.string().optional(),
          profile: z.string(),
          steps: z.number().optional().describe('how many steps of a plan it is limited to'),
          approval: z.string(),
          opened_at_ms: z.number(),
          expires_at_ms: z.number(),
          uses: z.number(),
          max_uses: z.number().optional(),
        }),
      ),
    }),
    taskToken: 'deny',
  }),
  window_close: operationSpec({
    name: 'window_close',
    summary: 'Closes a window at once.',
    input: z.strictObject({ window: nameField }),
    output: z.object({ window: z.string(), closed: z.boolean().describe('false: it was closed before') }),
    taskToken: 'deny',
  }),
} as const;
