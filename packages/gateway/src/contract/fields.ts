import { QUESTION_KINDS, TASK_STATES } from '@writ/delegation';
import { z } from 'zod';

/** A name, label or id as a caller writes it; whoever resolves it folds it. */
export const nameField = z.string().min(1).max(256);
/** Id of a task. */
export const taskField = z.string().min(1).max(128).describe('task id');
/** `90m`, `8h`, `1h30m`. */
export const durationField = z.string().min(2).max(32).describe('such as 30s, 10m, 8h');
/** The last millisecond that a calendar here has. */
const LAST_MS = 8_640_000_000_000_000;
/** A moment, in place of a duration. */
export const endField = z
  .number()
  .int()
  .min(0)
  .max(LAST_MS)
  .describe('milliseconds since the epoch, instead of a duration');
/** A list of names. */
export const namesField = z.array(nameField).max(256);
/** A count, size or offset. */
export const countField = z.number().int().min(0);

/** State of a task; the last five are final. */
export const stateField = z.enum(TASK_STATES);

/** What the executing node granted. */
export const grantedField = z.object({
  requested_profile: z.string(),
  effective_profile: z.string(),
  effective_runner: z.string(),
  isolation: z.enum(['required', 'none']),
  generation: z.number(),
  lease_id: z.string().optional(),
  message: z.string(),
});

/** How the process of a task ended. */
const endingField = z.object({
  kind: z.enum(['exit', 'signal', 'timeout', 'output-limit', 'cancel', 'dismissed']),
  exit_code: z.number().optional(),
  signal: z.string().optional(),
  timeout_ms: z.number().optional(),
  limit_bytes: z.number().optional(),
  cause: z.string().optional(),
});

/** What a task came to. */
export const outcomeField = z.object({
  state: z.enum(['completed', 'failed', 'cancelled', 'rejected', 'lost']),
  code: z.string().optional(),
  message: z.string(),
  ending: endingField.optional(),
  truncated: z.boolean(),
  stdout_bytes: z.number(),
  stderr_bytes: z.number(),
  started_at_ms: z.number().optional(),
  ended_at_ms: z.number(),
  result: z.string().optional().describe('SHA-256 of the signed result'),
});

/** Who decided what about a request, and what would help. */
export const decidedField = z.object({
  by: z.enum(['here', 'peer']),
  effect: z.enum(['allow', 'ask', 'deny']),
  code: z.string().describe('OK, or why not'),
  message: z.string(),
  next_steps: z.array(z.string()),
  profile: z.string().optional().describe('effective profile'),
  runner: z.string().optional(),
  generation: z.number().optional(),
  lease_id: z.string().optional(),
});

/** What a task waits for, since when, and who can answer. */
export const turnField = z.object({
  turn: z.number(),
  since_ms: z.number(),
  questions: z.array(
    z.object({
      id: z.string(),
      kind: z.enum(QUESTION_KINDS),
      text: z.string(),
      answered_by: z.string(),
      choices: z.array(z.string()).optional(),
      previous: z.enum(['accepted', 'refused']).optional(),
      approval: z.string().optional(),
      asked_at_ms: z.number(),
    }),
  ),
});

/** A task as every surface shows it. */
export const taskView = z.object({
  task: z.string(),
  side: z.enum(['asked', 'executing']),
  peer: z.string().describe('label of the other node, or self'),
  state: stateField,
  finished: z.boolean(),
  profile: z.string().optional(),
  workspace: z.string().optional(),
  work: z.string().describe('the work in one line'),
  created_at_ms: z.number(),
  unreachable: z.boolean(),
  cancel_requested: z.boolean(),
  granted: grantedField.optional(),
  waiting_for: z.string().optional(),
  outcome: outcomeField.optional(),
});

/** A task in a list; `status` shows the rest. */
export const taskRow = taskView.omit({ waiting_for: true }).extend({
  granted: grantedField.pick({ effective_profile: true, effective_runner: true, isolation: true }).optional(),
  outcome: outcomeField.omit({ ending: true, stdout_bytes: true, stderr_bytes: true }).optional(),
});

/** One hop of a chain, as its writ says. */
export const hopField = z.object({
  from: z.string(),
  from_label: z.string(),
  to: z.string(),
  to_label: z.string(),
  task: z.string(),
  profile: z.string().optional(),
  workspace: z.string().optional(),
  capabilities: z.array(z.string()),
  workspaces: z.array(z.string()),
  network: z.string(),
  max_output_bytes: z.number(),
  depth: z.number().describe('further hops that may follow'),
  expires_at_ms: z.number(),
  /** Against the hop before; the first one takes nothing away. */
  took_away: z.object({
    capabilities: z.array(z.string()),
    workspaces: z.array(z.string()),
    network: z.string().optional().describe('what it was before'),
    output_bytes: z.number().optional(),
    depth: z.number(),
    ms: z.number(),
  }),
});

/** Something wrong in a configuration, and where. */
export const violationField = z.object({
  code: z.string(),
  path: z.string(),
  line: z.number().optional(),
  column: z.number().optional(),
  message: z.string(),
});

/** Something that loads but should be written otherwise. */
export const deprecationField = violationField.omit({ code: true });

/** No input at all. */
export const noInput = z.strictObject({});

/** SHA-256 of a content, lower-case hex. */
export const digestField = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hex');
