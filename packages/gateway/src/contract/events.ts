import { z } from 'zod';
import { countField } from './fields.ts';
import { streamSpec } from './spec.ts';

/** The one ordered stream of what happens on this node. */
export const eventContract = {
  events: streamSpec({
    name: 'events',
    summary: 'Streams what happens on this node, in order, from a sequence number on; with follow, as it happens.',
    input: z.strictObject({
      after: countField.optional().describe('goes on behind this number; absent: only what happens from now on'),
      kinds: z.array(z.string().min(1).max(64)).max(64).optional().describe('such as task, approval, lease'),
      follow: z.boolean().default(true).describe('false: ends with what has happened'),
    }),
    item: z.object({
      seq: z.number().describe('the place to go on from; to a task its own events are counted, from 1'),
      at_ms: z.number(),
      kind: z.string(),
      action: z.string().describe('such as task.completed'),
      actor: z.string().optional(),
      subject: z.string().optional().describe('id of what it happened to'),
      details: z.record(z.string(), z.unknown()).optional(),
    }),
    taskToken: 'subtree',
  }),
} as const;
