import { fieldsOf } from '@writ/database';
import { z } from 'zod';
import { QUESTION_KINDS, type Turn, type TurnQuestion } from './question-types.ts';
import {
  type Granted,
  type ShippedInput,
  TASK_STATES,
  type TaskBounds,
  type TaskEventBody,
  type TaskOutcome,
  type TaskRefusal,
  type TaskSpec,
  type TaskWait,
  TERMINAL_STATES,
} from './types.ts';

const count = z.number().int().nonnegative();

/** Any state of a task. */
export const stateShape = z.enum(TASK_STATES);

const endingShape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('exit'), exitCode: z.number().int() }),
  z.object({ kind: z.literal('signal'), signal: z.string() }),
  z.object({ kind: z.literal('timeout'), timeoutMs: z.number() }),
  z.object({ kind: z.literal('output-limit'), limitBytes: z.number() }),
  z.object({ kind: z.literal('cancel'), cause: z.string() }),
  z.object({ kind: z.literal('dismissed') }),
]);

const refusalShape: z.ZodType<TaskRefusal> = z.object(
  fieldsOf<TaskRefusal>()({
    decidedBy: z.enum(['here', 'peer']),
    effect: z.enum(['ask', 'deny']),
    nextSteps: z.array(z.string()),
    generation: count,
  }),
);

export const outcomeShape: z.ZodType<TaskOutcome> = z.object(
  fieldsOf<TaskOutcome>()({
    state: z.enum(TERMINAL_STATES),
    code: z.string().optional(),
    message: z.string(),
    ending: endingShape.optional(),
    truncated: z.boolean(),
    stdoutBytes: count,
    stderrBytes: count,
    startedAtMs: z.number().optional(),
    endedAtMs: z.number(),
    result: z.string().optional(),
    refusal: refusalShape.optional(),
  }),
);

export const grantedShape: z.ZodType<Granted> = z.object(
  fieldsOf<Granted>()({
    requestedProfile: z.string(),
    effectiveProfile: z.string(),
    effectiveRunner: z.string(),
    isolation: z.enum(['required', 'none']),
    generation: count,
    leaseId: z.string().optional(),
    message: z.string(),
    approval: z.string().optional(),
    retry: z.literal('safe').optional(),
  }),
);

const shippedShape: z.ZodType<ShippedInput> = z.object(
  fieldsOf<ShippedInput>()({
    commit: z.string(),
    bundle: z.object({ sha256: z.string(), bytes: count }).optional(),
  }),
);

export const specShape: z.ZodType<TaskSpec> = z.object(
  fieldsOf<TaskSpec>()({
    input: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('argv'), argv: z.array(z.string()) }),
      z.object({ kind: z.literal('prompt'), prompt: z.string() }),
    ]),
    profile: z.string().optional(),
    runner: z.string().optional(),
    workspace: z.string().optional(),
    ref: z.string().optional(),
    timeoutMs: z.number().optional(),
    artifacts: z.array(z.string()).optional(),
    shipped: shippedShape.optional(),
  }),
);

export const boundsShape: z.ZodType<TaskBounds> = z.object(
  fieldsOf<TaskBounds>()({
    grants: z.array(z.array(z.string())).optional(),
    grantWorkspaces: z.array(z.string()).optional(),
    depthLeft: count.optional(),
    grantNetwork: z.union([z.enum(['deny', 'allow']), z.array(z.string())]).optional(),
    maxOutputBytes: count.optional(),
    writExpiresAtMs: z.number().optional(),
  }),
);

const streamShape = z.enum(['stdout', 'stderr']);

const turnQuestionShape: z.ZodType<TurnQuestion> = z.object(
  fieldsOf<TurnQuestion>()({
    id: z.string(),
    kind: z.enum(QUESTION_KINDS),
    text: z.string(),
    choices: z.array(z.string()).optional(),
    previous: z.enum(['accepted', 'refused']).optional(),
    approval: z.string().optional(),
    askedAtMs: count,
  }),
);

/** What a task waits for. */
const turnShape: z.ZodType<Turn> = z.object(
  fieldsOf<Turn>()({ turn: count, sinceMs: count, questions: z.array(turnQuestionShape) }),
);
const waitShape: z.ZodType<TaskWait> = z.object(fieldsOf<TaskWait>()({ approval: z.string(), answerByMs: count }));

export const bodyShape: z.ZodType<TaskEventBody> = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('state'),
    state: stateShape,
    code: z.string().optional(),
    message: z.string().optional(),
    turn: turnShape.optional(),
    waits: waitShape.optional(),
  }),
  z.object({ kind: z.literal('granted'), granted: grantedShape }),
  z.object({ kind: z.literal('output'), stream: streamShape, offset: count, length: count }),
  z.object({ kind: z.literal('dropped'), stream: streamShape, bytes: count }),
  z.object({ kind: z.literal('outcome'), outcome: outcomeShape }),
]);
