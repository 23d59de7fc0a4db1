import { z } from 'zod';
import {
  countField,
  decidedField,
  durationField,
  nameField,
  stateField,
  taskField,
  taskRow,
  taskView,
  turnField,
} from './fields.ts';
import { gitWordsField } from './shell.ts';
import { operationSpec } from './spec.ts';

const READ = { readOnly: true, destructive: false, idempotent: true } as const;
const argument = z
  .string()
  .max(131_072)
  .refine((text) => !text.includes('\0'), { message: 'may not contain NUL' });

/** Handing work on and following it. */
export const delegationContract = {
  delegate: operationSpec({
    name: 'delegate',
    summary:
      'Hands work to a peer (or `self`) and answers at once; then use wait and result. accepted=false is a decision of policy, not a fault: read decided.next_steps, do not retry unchanged.',
    input: z
      .strictObject({
        to: nameField.describe('label or id of a peer, or self'),
        argv: z.array(argument).min(1).max(1024).optional().describe('command, no shell; this or prompt'),
        prompt: z.string().min(1).max(1_048_576).optional().describe('for an agent there; this or argv'),
        profile: nameField.optional().describe("absent: the node's default"),
        runner: nameField.optional(),
        workspace: nameField.optional(),
        ref: z.string().min(1).max(256).optional().describe('branch, tag or commit'),
        timeout: durationField.optional(),
        artifacts: z.array(z.string().min(1).max(1024)).max(256).optional().describe('paths or patterns to bring back'),
        ship: z
          .string()
          .min(1)
          .max(4096)
          .optional()
          .describe('absolute path: send this working tree instead of ref; a task: its own clone'),
        idempotency_key: z.string().min(1).max(128).optional().describe('repeat it to make a retry safe'),
        shell: z.strictObject({ git: gitWordsField }).optional(),
      })
      .refine((input) => (input.argv === undefined) !== (input.prompt === undefined), {
        message: 'give either argv or prompt',
      }),
    output: z.object({ accepted: z.boolean(), task: z.string(), state: stateField, decided: decidedField.optional() }),
    taskToken: 'subtree',
    mcp: {
      ...{ title: 'Delegate work', readOnly: false, destructive: true, idempotent: false, openWorld: true },
      without: ['shell'],
    },
  }),
  status: operationSpec({
    name: 'status',
    summary: 'Shows a task as it is now. To follow one, use wait instead of asking again and again.',
    input: z.strictObject({ task: taskField }),
    output: taskView.extend({ turn: turnField.optional() }),
    taskToken: 'subtree',
    mcp: { title: 'Task status', ...READ },
    ownedTask: 'task',
  }),
  wait: operationSpec({
    name: 'wait',
    summary:
      'Waits until a task is finished, needs a reply (input_required: see status, then reply), or the time is over (timed_out=true: it goes on, or waits for a person; wait again).',
    input: z.strictObject({
      task: taskField,
      timeout_seconds: z.number().min(0).max(3600).default(60),
    }),
    output: taskView.extend({ timed_out: z.boolean() }),
    taskToken: 'subtree',
    mcp: { title: 'Wait for a task', ...READ },
    ownedTask: 'task',
  }),
  transcript: operationSpec({
    name: 'transcript',
    summary: 'Reads the output of a task from an offset; go on at next_offset until end=true.',
    input: z.strictObject({
      task: taskField,
      offset: countField.default(0).describe('bytes'),
      limit: z.number().int().min(1).max(262_144).default(32_768).describe('bytes'),
    }),
    output: z.object({
      task: z.string(),
      log: z.string().describe('reference to this place'),
      text: z.string().describe('control characters are written as \\u{…}'),
      next_offset: z.number(),
      end: z.boolean(),
    }),
    taskToken: 'subtree',
    mcp: { title: 'Read output', ...READ },
    ownedTask: 'task',
  }),
  cancel: operationSpec({
    name: 'cancel',
    summary: 'Ends a task with all its processes; answers when they are gone. A finished task stays as it is.',
    input: z.strictObject({ task: taskField }),
    output: taskView.pick({ task: true, state: true, finished: true, cancel_requested: true, outcome: true }),
    taskToken: 'subtree',
    mcp: { title: 'Cancel a task', readOnly: false, destructive: true, idempotent: true },
    ownedTask: 'task',
  }),
  list_tasks: operationSpec({
    name: 'list_tasks',
    summary: 'Lists tasks, newest first: those that this node asked of others and those that run here.',
    input: z.strictObject({
      peer: nameField.optional().describe('label or id, or self'),
      state: stateField.optional(),
      side: z.enum(['asked', 'executing']).optional(),
      limit: z.number().int().min(1).max(200).default(20),
      before: z.string().min(1).max(300).optional().describe('next_before of the page before'),
    }),
    output: z.object({ tasks: z.array(taskRow), next_before: z.string().optional() }),
    taskToken: 'subtree',
    mcp: { title: 'List tasks', ...READ },
  }),
} as const;
