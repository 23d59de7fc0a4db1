import { QUESTION_KINDS } from '@writ/delegation';
import { z } from 'zod';
import { durationField, stateField, taskField } from './fields.ts';
import { operationSpec } from './spec.ts';

const kindField = z.enum(QUESTION_KINDS);
const previousField = z.enum(['accepted', 'refused']);
const questionField = z.string().min(1).max(32).describe('absent: the only open one');
const keyField = z.string().min(1).max(128).optional();
const takenField = z.object({
  question: z.string(),
  state: stateField,
  open: z.number().describe('questions that are open still'),
});

/** Questions of interactive tasks, and replies to them. */
export const turnContract = {
  ask: operationSpec({
    name: 'ask',
    summary:
      'Asks in the name of this task and waits: input and credential are answered by whoever handed the task over, approval by a person of this node. Several questions go in one call.',
    input: z.strictObject({
      questions: z
        .array(
          z.strictObject({
            kind: kindField.default('input'),
            text: z.string().min(1).max(4096),
            choices: z.array(z.string().min(1).max(200)).min(1).max(16).optional(),
            previous: previousField.optional().describe('what became of the credential given before'),
          }),
        )
        .min(1)
        .max(16),
      timeout: durationField.optional(),
    }),
    output: z.object({
      turn: z.number(),
      answers: z.array(
        z.object({
          question: z.string(),
          kind: kindField,
          state: z.enum(['answered', 'approved', 'denied', 'expired', 'withdrawn', 'ended']),
          text: z.string().optional().describe('the reply or the credential'),
          by: z.string().optional(),
          message: z.string().optional(),
        }),
      ),
    }),
    taskToken: 'subtree',
    mcp: { title: 'Ask', readOnly: false, destructive: false, idempotent: false, onlyTasks: true },
  }),
  reply: operationSpec({
    name: 'reply',
    summary:
      'Answers a question of kind input (see turn in status). Without text the person at your client is asked, where it can do that. Credentials and approvals are for persons alone.',
    input: z.strictObject({
      task: taskField,
      text: z.string().min(1).max(65_536).optional(),
      question: questionField.optional(),
      idempotency_key: keyField,
    }),
    output: takenField.extend({
      not_answered: z.enum(['declined', 'cancelled']).optional().describe('what the person did instead'),
    }),
    taskToken: 'subtree',
    mcp: { title: 'Reply to a task', readOnly: false, destructive: false, idempotent: false },
    ownedTask: 'task',
  }),
  reply_credential: operationSpec({
    name: 'reply_credential',
    summary: 'Gives a credential to the process of a task that asked for it. It is kept nowhere.',
    input: z.strictObject({
      task: taskField,
      secret: z.string().min(1).max(65_536),
      question: questionField.optional(),
      idempotency_key: keyField,
    }),
    output: takenField,
    taskToken: 'deny',
    ownedTask: 'task',
  }),
} as const;
