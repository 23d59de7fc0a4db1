import { z } from 'zod';
import { countField, decidedField, durationField, nameField } from './fields.ts';
import { operationSpec, streamSpec } from './spec.ts';

const READ = { readOnly: true, destructive: false, idempotent: true, toolset: 'commands' } as const;
const WRITE = { readOnly: false, destructive: true, idempotent: false, openWorld: true, toolset: 'commands' } as const;

const argument = z
  .string()
  .max(524_288)
  .refine((text) => !text.includes('\0'), { message: 'may not contain NUL' });
const step = {
  argv: z.array(argument).min(1).max(1024).describe('no shell'),
  cwd: z.string().min(1).max(4096).optional().describe('absolute, there; absent: the workspace, or /'),
  stdin: z.string().max(262_144).optional(),
};
const to = nameField.describe('label or id of a peer, or self');
const at = nameField.default('self').describe('the peer where it runs');
const executionId = z.string().min(1).max(128).describe('execution id');
const under = {
  profile: nameField.optional(),
  workspace: nameField.optional().describe('what the right is for, and where, unless cwd says'),
};
const key = z.string().min(1).max(128).optional().describe('repeat it to make a retry safe');

const commandState = z.enum([
  'proposed',
  'pending_approval',
  'running',
  'completed',
  'failed',
  'denied',
  'expired',
  'cancelled',
  'outcome_unknown',
]);
const commandClass = z.enum(['read', 'config-mutation', 'destructive']);

/** A gated command as every surface shows it. */
export const commandView = z.object({
  execution: z.string(),
  state: commandState,
  finished: z.boolean(),
  why: z.string().describe('what it waits for, and who can answer; or what became of it'),
  class: commandClass,
  needs: z.array(z.string()),
  target: z.string().optional(),
  profile: z.string(),
  work: z.string().describe('in one line'),
  cwd: z.string(),
  asked_by: z.string(),
  task: z.string().optional(),
  approval: z.string().optional(),
  window: z.string().optional(),
  lease: z.string().optional(),
  next: z.string().optional().describe('asked for in its place, since it changed'),
  created_at_ms: z.number(),
  expires_at_ms: z.number(),
  started_at_ms: z.number().optional(),
  ended_at_ms: z.number().optional(),
  code: z.string().optional().describe('OK, or why not'),
  exit_code: z.number().optional(),
});

/** A command that was asked of a peer, as it was last known here. */
const sentCommandView = z.object({
  execution: z.string().optional().describe('absent: no answer yet'),
  at: z.string().describe('the peer'),
  state: z.enum([...commandState.options, 'sent', 'refused']),
  class: commandClass.optional(),
  profile: z.string().optional(),
  work: z.string(),
  session: z.string(),
  code: z.string().optional(),
  sent_at_ms: z.number(),
  seen_at_ms: z.number().optional().describe('when the peer said so'),
});

/** Commands of this machine and of peers, that a class and a person let run. */
export const executionContract = {
  run: operationSpec({
    name: 'run',
    summary:
      'Runs one command on a machine itself: at once where it only reads, else after a person there said yes. Answers at once; follow it with execution. state=pending_approval: tell the person what why says, then wait.',
    input: z.strictObject({ to, ...step, ...under, idempotency_key: key }),
    output: z.object({ accepted: z.boolean(), command: commandView.optional(), decided: decidedField.optional() }),
    taskToken: 'subtree',
    mcp: { title: 'Run a command', ...WRITE },
  }),
  propose_plan: operationSpec({
    name: 'propose_plan',
    summary:
      'Asks a person once for several commands. After a yes its steps, and with only_steps false a short list of other changes, run without asking until the window closes; destructive ones ask again. Then run the steps, in the same workspace.',
    input: z.strictObject({
      to,
      title: z.string().min(1).max(200),
      steps: z.array(z.strictObject(step)).min(1).max(32),
      ...under,
      only_steps: z.boolean().default(true).describe('a yes covers these steps and nothing else'),
      window: durationField.default('1h'),
      max_uses: z.number().int().min(1).max(1000).optional(),
      idempotency_key: key,
    }),
    output: z.object({
      accepted: z.boolean(),
      approval: z.string().optional(),
      state: z.enum(['pending', 'approved', 'denied', 'expired', 'cancelled']).optional(),
      why: z.string().optional(),
      expires_at_ms: z.number().optional(),
      steps: z
        .array(
          z.object({
            work: z.string(),
            class: commandClass,
            needs: z.array(z.string()),
            target: z.string().optional(),
          }),
        )
        .optional(),
      decided: decidedField.optional(),
    }),
    taskToken: 'subtree',
    mcp: { title: 'Propose a plan', ...WRITE },
  }),
  execution: operationSpec({
    name: 'execution',
    summary: 'Shows a command that was asked for, with its output from an offset; waits for its end if asked to.',
    input: z.strictObject({
      execution: executionId,
      at,
      offset: countField.default(0).describe('next_offset of the answer before'),
      wait_seconds: z.number().min(0).max(3600).default(0),
    }),
    output: commandView.extend({
      output: z.string().describe('control characters are written as \\u{…}'),
      next_offset: z.number(),
      timed_out: z.boolean(),
    }),
    taskToken: 'subtree',
    mcp: { title: 'Look at a command', ...READ },
  }),
  list_executions: operationSpec({
    name: 'list_executions',
    summary:
      'Lists commands of this node, and those asked of peers from here as last known, newest first. execution with at says what a peer has now.',
    input: z.strictObject({ limit: z.number().int().min(1).max(200).default(20) }),
    output: z.object({ executions: z.array(commandView), sent: z.array(sentCommandView) }),
    taskToken: 'subtree',
    mcp: { title: 'List commands', ...READ },
  }),
  execution_show: operationSpec({
    name: 'execution_show',
    summary: 'Shows a command with every argument of it.',
    input: z.strictObject({ execution: executionId, at }),
    output: commandView.extend({ argv: z.array(z.string()) }),
    taskToken: 'subtree',
  }),
  execution_cancel: operationSpec({
    name: 'execution_cancel',
    summary: 'Ends a command, whether it waits or runs; answers when no process is left.',
    input: z.strictObject({ execution: executionId, at }),
    output: commandView,
    taskToken: 'subtree',
  }),
  execution_watch: streamSpec({
    name: 'execution_watch',
    summary: 'Streams each state of a command and its output from an offset on; ends when it has ended.',
    input: z.strictObject({ execution: executionId, at, offset: countField.default(0) }),
    item: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('state'), command: commandView }),
      z.object({
        kind: z.literal('output'),
        stream: z.enum(['stdout', 'stderr']),
        at_ms: z.number(),
        next: z.number(),
        /** `data` is text where the bytes are valid UTF-8. */
        encoding: z.enum(['utf8', 'base64']),
        data: z.string(),
      }),
      z.object({
        kind: z.literal('dropped'),
        stream: z.enum(['stdout', 'stderr']),
        at_ms: z.number(),
        next: z.number(),
        bytes: z.number(),
      }),
    ]),
    taskToken: 'subtree',
  }),
} as const;
