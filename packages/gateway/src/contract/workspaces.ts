import { z } from 'zod';
import { nameField, noInput } from './fields.ts';
import { operationSpec } from './spec.ts';

const row = z.object({
  state: z.enum(['in-use', 'ready', 'done', 'failed', 'orphaned']),
  id: z.string().optional(),
  task: z.string().optional(),
  workspace: z.string().optional(),
  sender: z.string().optional().describe('who asked for its task'),
  dir: z.string(),
  bytes: z.number().optional(),
  since_ms: z.number().optional(),
  due_at_ms: z.number().optional().describe('absent: it does not go by itself'),
  unbundled: z.enum(['none', 'some', 'unknown']).optional().describe('changes in it that are kept nowhere else'),
});

/** What clones of workspaces take of this machine's disk; for a person. */
export const workspaceContract = {
  workspace_list: operationSpec({
    name: 'workspace_list',
    summary: 'Lists the clones that tasks work in, those that are made ahead, and those that are kept, with why.',
    input: noInput,
    output: z.object({ workspaces: z.array(row), bytes: z.number(), budget_bytes: z.number() }),
    taskToken: 'deny',
  }),
  workspace_prune: operationSpec({
    name: 'workspace_prune',
    summary: 'Removes clones that are kept: those named, else every one whose work is kept elsewhere.',
    input: z.strictObject({
      which: z.array(nameField).min(1).max(1000).optional().describe('ids, or ids of tasks'),
      unbundled: z.boolean().default(false).describe('also work that is kept nowhere else; only of those named'),
    }),
    output: z.object({ removed: z.array(row) }),
    taskToken: 'deny',
  }),
} as const;
