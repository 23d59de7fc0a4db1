import { z } from 'zod';
import { countField, digestField, taskField } from './fields.ts';
import { gitWordsField, umaskField } from './shell.ts';
import { operationSpec, streamSpec } from './spec.ts';

const READ = { readOnly: true, destructive: false, idempotent: true } as const;

const artifactField = z.object({ name: z.string(), sha256: z.string(), bytes: z.number() });

/** The result of a task as its executor signed it. */
const resultView = z.object({
  task: z.string(),
  side: z.enum(['asked', 'executing']),
  sha256: z.string(),
  node: z.string(),
  standing: z.string().describe('pinned, vouched by LABEL, or own'),
  late: z.boolean(),
  received_at_ms: z.number().optional(),
  receipt_at_ms: z.number().optional().describe('the signer has it since'),
  chain: z.array(z.string()),
  state: z.string(),
  code: z.string().optional(),
  message: z.string(),
  ending: z.string().optional(),
  truncated: z.boolean(),
  changes: z.object({
    kind: z.enum(['no-workspace', 'uncollected', 'none', 'changed']),
    step: z.string().optional(),
    base: z.string().optional(),
    head: z.string().optional(),
    file_count: z.number(),
    insertions: z.number(),
    deletions: z.number(),
    files: z.array(
      z.object({
        status: z.string(),
        path: z.string(),
        insertions: z.number().optional(),
        deletions: z.number().optional(),
      }),
    ),
    patch_sha256: z.string().optional(),
    bundle_sha256: z.string().optional(),
    refused: z.array(z.string()).optional().describe('git directories inside, left out'),
  }),
  artifact_count: z.number(),
  artifacts: z.array(artifactField),
  nested: z.array(
    z.object({
      depth: z.number(),
      task: z.string(),
      node: z.string(),
      sha256: z.string(),
      state: z.string().optional(),
      code: z.string().optional(),
    }),
  ),
  requested_profile: z.string(),
  profile: z.string(),
  runner: z.string(),
  isolation: z.string(),
  generation: z.number(),
  workspace: z.string().optional(),
  lease: z.string().optional(),
  approvals: z.array(z.string()).optional(),
  unseparated: z.boolean().optional(),
  usage: z
    .object({
      input_tokens: z.number().optional(),
      output_tokens: z.number().optional(),
      cost_micro_usd: z.number().optional(),
    })
    .optional(),
  transcript_sha256: z.string().optional(),
  accepted_at_ms: z.number(),
  started_at_ms: z.number().optional(),
  ended_at_ms: z.number(),
  signed_at_ms: z.number(),
});

/** What was checked of a result, and what that says. */
const verifiedView = z.object({
  task: z.string(),
  sha256: z.string(),
  node: z.string(),
  standing: z.string(),
  state: z.string(),
  checked: z.array(z.string()),
  not_checked: z.array(z.string()),
  proves: z.string(),
});

/** What came of work, and what to do with it. */
export const resultContract = {
  result: operationSpec({
    name: 'result',
    summary:
      'Shows the signed, verified result of a finished task: outcome, changed files, artifacts, nested results. It proves who wrote it, not that it is true.',
    input: z.strictObject({
      task: taskField,
      limit: z.number().int().min(0).max(100_000).default(100),
    }),
    output: resultView,
    taskToken: 'subtree',
    mcp: { title: 'Result of a task', ...READ },
    ownedTask: 'task',
  }),
  list_artifacts: operationSpec({
    name: 'list_artifacts',
    summary: 'Lists the files that a finished task left as artifacts.',
    input: z.strictObject({
      task: taskField,
      offset: countField.default(0),
      limit: z.number().int().min(1).max(1000).default(100),
    }),
    output: z.object({ artifacts: z.array(artifactField), total: z.number(), next_offset: z.number().optional() }),
    taskToken: 'subtree',
    mcp: { title: 'List artifacts', ...READ, toolset: 'evidence' },
    ownedTask: 'task',
  }),
  artifact: operationSpec({
    name: 'artifact',
    summary:
      'Reads an artifact, or the patch, of a finished task from an offset; go on at next_offset until end=true. A name is no path.',
    input: z
      .strictObject({
        task: taskField,
        name: z.string().min(1).max(1024).optional().describe('of an artifact; this or sha256'),
        sha256: digestField.optional(),
        offset: countField.default(0).describe('bytes'),
        limit: z.number().int().min(4).max(262_144).default(32_768).describe('bytes'),
      })
      .refine((input) => (input.name === undefined) !== (input.sha256 === undefined), {
        message: 'give either name or sha256',
      }),
    output: z.object({
      sha256: z.string(),
      encoding: z.enum(['utf8', 'base64']),
      data: z.string(),
      next_offset: z.number(),
      end: z.boolean(),
    }),
    taskToken: 'subtree',
    mcp: { title: 'Read an artifact', ...READ },
    ownedTask: 'task',
  }),
  verify_result: operationSpec({
    name: 'verify_result',
    summary: 'Checks the result of a task again, whole, from what is kept here. EVIDENCE_INVALID: do not use it.',
    input: z.strictObject({ task: taskField }),
    output: verifiedView,
    taskToken: 'subtree',
    mcp: { title: 'Verify a result', ...READ, toolset: 'evidence' },
    ownedTask: 'task',
  }),
  apply_result: operationSpec({
    name: 'apply_result',
    summary:
      'Verifies the result of a task and makes branch writ/TASK of it in a repository; the working tree stays unless checkout.',
    input: z.strictObject({
      task: taskField,
      repository: z.string().min(1).max(4096).describe('absolute path'),
      check: z.boolean().default(false).describe('only say what would be'),
      checkout: z.boolean().default(false),
      shell: z.strictObject({ git: gitWordsField.optional(), umask: umaskField.optional() }).optional(),
    }),
    output: z.object({
      kind: z.enum(['nothing', 'checked', 'applied', 'present']),
      message: z.string(),
      branch: z.string().optional(),
      head: z.string().optional(),
      fit: z.enum(['ahead', 'merges', 'conflicts', 'unrelated', 'no-commit']).optional(),
      conflicts: z.array(z.string()),
      checked_out: z.boolean(),
      next_steps: z.array(z.string()),
    }),
    taskToken: 'deny',
    mcp: { title: 'Apply a result', readOnly: false, destructive: true, idempotent: true, without: ['shell'] },
    ownedTask: 'task',
  }),
  task_content: streamSpec({
    name: 'task_content',
    summary: 'Streams something that the result of a task names: bundle, patch, artifact, an envelope.',
    input: z.strictObject({ task: taskField, sha256: digestField }),
    item: z.object({ offset: z.number(), data: z.string().describe('base64') }),
    taskToken: 'subtree',
    ownedTask: 'task',
  }),
  task_forget: operationSpec({
    name: 'task_forget',
    summary: 'Ends a task as lost whose executor does not answer any more; a result that comes later changes nothing.',
    input: z.strictObject({ task: taskField }),
    output: z.object({ task: z.string(), state: z.string(), message: z.string() }),
    taskToken: 'deny',
    ownedTask: 'task',
  }),
} as const;
