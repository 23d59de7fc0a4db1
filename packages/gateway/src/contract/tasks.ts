import { z } from 'zod';
import {
  countField,
  grantedField,
  hopField,
  outcomeField,
  stateField,
  taskField,
  taskView,
  turnField,
} from './fields.ts';
import { operationSpec, streamSpec } from './spec.ts';

const head = { seq: z.number(), at_ms: z.number(), epoch: z.number() };
const stream = z.enum(['stdout', 'stderr']);

/** Looking at tasks closely; on the control socket and on the sockets of tasks. */
export const taskContract = {
  task_show: operationSpec({
    name: 'task_show',
    summary: 'Shows everything that this node recorded of a task.',
    input: z.strictObject({ task: taskField }),
    output: taskView.extend({
      turn: turnField.optional(),
      peer_id: z.string(),
      origin: z.string(),
      session: z.string(),
      agent: z.string(),
      chain: z.array(z.string()),
      parent: z.string().optional().describe('task here that handed it on'),
      hops: z.array(hopField),
      runs_here: z
        .object({ capabilities: z.array(z.string()), took_away: z.array(z.string()) })
        .optional()
        .describe('held by the effective profile'),
      argv: z.array(z.string()).optional(),
      prompt: z.string().optional(),
      runner: z.string().optional(),
      ref: z.string().optional(),
      timeout_ms: z.number().optional(),
      deadline_ms: z.number().optional(),
      idempotency_key: z.string(),
      epoch: z.number().optional(),
      last_seq: z.number(),
      log: z.string(),
      waits: z
        .object({
          who: z.string().describe('who can answer'),
          approval: z.string().describe('question at the executor'),
          code: z.string(),
          message: z.string().describe('why a person is asked'),
          since_ms: z.number(),
          answer_by_ms: z.number(),
        })
        .optional(),
      artifact_patterns: z.array(z.string()).optional(),
      shipped: z.string().optional().describe('commit that was sent along'),
      result: z
        .object({
          sha256: z.string(),
          standing: z.string(),
          late: z.boolean(),
          received_at_ms: z.number().optional(),
          receipt_at_ms: z.number().optional().describe('absent: not yet'),
          receipt_refused_at_ms: z.number().optional().describe('the other node takes none'),
        })
        .optional(),
    }),
    taskToken: 'deny',
    ownedTask: 'task',
  }),
  task_watch: streamSpec({
    name: 'task_watch',
    summary: 'Streams the events of a task after a sequence number, with output, and ends after the outcome.',
    input: z.strictObject({ task: taskField, after_seq: countField.default(0) }),
    item: z.discriminatedUnion('kind', [
      z.object({
        ...head,
        kind: z.literal('state'),
        state: stateField,
        code: z.string().optional(),
        message: z.string().optional(),
        turn: turnField.optional(),
        approval: z.string().optional().describe('the question that it waits for'),
        answer_by_ms: z.number().optional(),
      }),
      z.object({ ...head, kind: z.literal('granted'), granted: grantedField }),
      z.object({
        ...head,
        kind: z.literal('output'),
        stream,
        offset: z.number(),
        length: z.number(),
        /** `data` is text where the bytes are valid UTF-8. */
        encoding: z.enum(['utf8', 'base64']),
        data: z.string(),
      }),
      z.object({ ...head, kind: z.literal('dropped'), stream, bytes: z.number() }),
      z.object({ ...head, kind: z.literal('outcome'), outcome: outcomeField }),
    ]),
    taskToken: 'subtree',
    ownedTask: 'task',
  }),
  task_log: streamSpec({
    name: 'task_log',
    summary:
      'Streams the transcript of a task as bytes from an offset to where it ends now; follow goes on to its end.',
    input: z.strictObject({
      task: taskField,
      offset: countField.default(0),
      follow: z.boolean().default(false),
    }),
    item: z.object({ offset: z.number(), data: z.string().describe('base64'), next: z.number(), end: z.boolean() }),
    taskToken: 'subtree',
    ownedTask: 'task',
  }),
} as const;
