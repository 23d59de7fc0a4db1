import { z } from 'zod';
import { nameField, noInput } from './fields.ts';
import { operationSpec } from './spec.ts';

/** A window, whoever looks. */
const windowRow = z.object({
  id: z.string(),
  kind: z.enum(['assent', 'destructive']),
  workspace: z.string().optional().describe('what it was asked for; absent: it covers what names none'),
  target: z.string().optional(),
  profile: z.string(),
  steps: z.number().optional().describe('how many steps of a plan it is limited to'),
  approval: z.string(),
  opened_at_ms: z.number(),
  expires_at_ms: z.number(),
  uses: z.number(),
  max_uses: z.number().optional(),
});

/** What runs without asking; for a person, and for an agent what runs in its own piece of work. */
export const windowContract = {
  window_list: operationSpec({
    name: 'window_list',
    summary: 'Lists the windows that are open: whose actions run without asking, and until when.',
    input: noInput,
    output: z.object({
      windows: z.array(windowRow.extend({ origin: z.string(), session: z.string(), agent: z.string() })),
    }),
    taskToken: 'deny',
  }),
  list_windows: operationSpec({
    name: 'list_windows',
    summary:
      'Lists the windows that are open for this piece of work on this node: what run does without asking, until when.',
    input: noInput,
    output: z.object({ windows: z.array(windowRow) }),
    taskToken: 'subtree',
    mcp: { title: 'List windows', readOnly: true, destructive: false, idempotent: true, toolset: 'authority' },
  }),
  window_close: operationSpec({
    name: 'window_close',
    summary: 'Closes a window at once.',
    input: z.strictObject({ window: nameField }),
    output: z.object({ window: z.string(), closed: z.boolean().describe('false: it was closed before') }),
    taskToken: 'deny',
  }),
} as const;
