import { foldName, parseNodeId } from '@writ/core';
import { z } from 'zod';

/** Longest text of a node's or an agent's inside a result, UTF-16 units. */
const LONGEST_TEXT = 4096;
/** Longest path as it is written, UTF-16 units: one of 4,096 bytes, the longest that is taken, has less in base64, too. */
const LONGEST_PATH = 8192;
/** Longest message about a fault, UTF-16 units. */
const LONGEST_MESSAGE = 500;
/** The last millisecond that JavaScript's dates know. */
const LAST_MS = 8_640_000_000_000_000;

/**
 * Most members of each list. No node signs more, so that none has to read more: what collects changes and artifacts takes its own
 * limits from here.
 */
export const RESULT_LISTS = {
  files: 50_000,
  refused: 1_000,
  artifacts: 1_000,
  children: 1_000,
  /** The questions of one task, and the one that lent it its lease. */
  approvals: 2_000,
} as const;

/** Most JSON values in a statement about a result whose lists are as long as they may be: 8 of a changed file, up to 9 of any other. */
export const MOST_STATEMENT_VALUES = 500_000;

const nodeId = z
  .string()
  .regex(/^wn-[a-z2-7]{36}$/)
  .refine((text) => parseNodeId(text) === text, 'not a node id')
  .describe('Fingerprint of a node.');
const name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/)
  .refine((text) => foldName(text) === text, 'not a folded name');
const id = z.string().regex(/^[\x21-\x7e]{1,256}$/, 'not a printable id');
const text = z.string().max(LONGEST_TEXT);
const digest = z.string().regex(/^[0-9a-f]{64}$/, 'not a digest');
const objectId = z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/, 'not an object id');
const mode = z.string().regex(/^[0-7]{6}$/, 'not a mode');
const count = z.int().min(0);
const timeMs = z.int().min(0).max(LAST_MS).describe('Milliseconds since the Unix epoch.');
const stored = z.strictObject({ sha256: digest, bytes: count });

const repoPath = {
  path: z.string().min(1).max(LONGEST_PATH),
  encoding: z.enum(['utf8', 'base64']).describe('`base64` for a path whose bytes are no UTF-8.'),
};
const refusedPath = z.strictObject(repoPath);
const refused = z
  .array(refusedPath)
  .min(1)
  .max(RESULT_LISTS.refused)
  .readonly()
  .optional()
  .describe(
    'Git directories of repositories inside, and names that mean one: neither followed nor taken in. The files beside them are.',
  );
const changedFile = z.strictObject({
  ...repoPath,
  status: z.enum(['A', 'M', 'D', 'T']),
  oldMode: mode,
  mode,
  insertions: count.nullable().describe('Null for binary content.'),
  deletions: count.nullable(),
});

const changes = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('no-workspace') }).describe('The task had no repository.'),
  z
    .strictObject({ kind: z.literal('uncollected'), step: z.string().max(64) })
    .describe('Evidence could not be collected; never beside a success.'),
  z
    .strictObject({ kind: z.literal('none'), base: objectId.nullable(), tree: objectId, refused })
    .describe('It was established that nothing has changed.'),
  z.strictObject({
    kind: z.literal('changed'),
    base: objectId.nullable().describe('Null: the repository had no commit.'),
    head: objectId,
    tree: objectId,
    files: z.array(changedFile).min(1).max(RESULT_LISTS.files),
    insertions: count,
    deletions: count,
    patch: stored,
    bundle: stored,
    refused,
  }),
]);

const exit = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('exit'), exitCode: z.int() }),
  z.strictObject({ kind: z.literal('signal'), signal: z.string().max(64) }),
  z.strictObject({ kind: z.literal('timeout'), timeoutMs: count }),
  z.strictObject({ kind: z.literal('output-limit'), limitBytes: count }),
  z.strictObject({ kind: z.literal('cancel'), cause: text }),
  z
    .strictObject({ kind: z.literal('dismissed') })
    .describe('It had done what it was asked for and stayed: its node ended it.'),
]);

const approval = z.strictObject({ id, digest });
const artifact = z.strictObject({ name: z.string().min(1).max(1024), sha256: digest, bytes: count });
const child = z.strictObject({ task: id, node: nodeId, nonce: z.string().regex(/^[0-9a-f]{32}$/), envelope: digest });

/** `result.v1.json`: what a task came to, as the node that ran it says. */
export const resultSchema = z.strictObject({
  version: z.literal(1),
  task: id,
  origin: nodeId,
  session: id,
  agent: id,
  node: nodeId.describe('The node that ran the task and signs this.'),
  chain: z.array(nodeId).max(64).describe('From the origin to the sender; empty for a task of the node’s own.'),
  writs: z.array(z.string().max(32_768)).max(64).describe('The chain of writs that the task ran under.'),
  nonce: z
    .string()
    .regex(/^[0-9a-f]{32}$/, 'not a nonce')
    .describe('Of the last writ.'),
  workspace: name.nullable(),
  profile: z.strictObject({ requested: name, effective: name }),
  runner: name,
  isolation: z.string().min(1).max(64).describe('The level that the task ran under.'),
  generation: count.describe('Of the policy that decided.'),
  lease: id.nullable(),
  approvals: z
    .array(approval)
    .max(RESULT_LISTS.approvals)
    .describe('Questions about it that a person answered; `digest` is that of what was shown.'),
  unseparated: z
    .literal(true)
    .optional()
    .describe(
      'An answer or the lease was given without a key of an approver. Absent: each was given with one, or none was needed.',
    ),
  changes,
  outcome: z.strictObject({
    state: z.enum(['completed', 'failed', 'cancelled', 'rejected', 'lost']),
    code: z
      .string()
      .regex(/^[A-Z][A-Z_]{0,63}$/)
      .nullable(),
    message: text,
  }),
  exit: exit.nullable().describe('Null: no process ever ran.'),
  truncated: z.boolean(),
  output: z.strictObject({ stdoutBytes: count, stderrBytes: count }),
  times: z.strictObject({
    acceptedAtMs: timeMs,
    startedAtMs: timeMs.nullable(),
    endedAtMs: timeMs,
    signedAtMs: timeMs,
  }),
  usage: z
    .strictObject({
      inputTokens: count.nullable(),
      outputTokens: count.nullable(),
      costMicroUsd: count.nullable().describe('Millionths of a US dollar.'),
    })
    .nullable()
    .describe('Null: the agent reported none.'),
  transcript: stored.nullable(),
  artifacts: z.array(artifact).max(RESULT_LISTS.artifacts),
  children: z
    .array(child)
    .max(RESULT_LISTS.children)
    .describe('Results of tasks that were passed on; `envelope` is the SHA-256 of the signed envelope.'),
});

/** `result.v1.json` as data. */
export type Result = Readonly<z.infer<typeof resultSchema>>;

/** The lists that may be long, and what each holds. */
const LISTS: readonly { readonly at: readonly string[]; readonly of: z.ZodType }[] = [
  { at: ['changes', 'files'], of: changedFile },
  { at: ['changes', 'refused'], of: refusedPath },
  { at: ['approvals'], of: approval },
  { at: ['artifacts'], of: artifact },
  { at: ['children'], of: child },
];

/** Something that a result may not hold, and where. */
export interface SchemaFault {
  readonly field: string;
  readonly message: string;
}

/**
 * Data as a result, or the first fault of it. Long lists are looked through first, each up to the first member that is none: the
 * schema as a whole makes an error of every one, which takes a hundred times as long as to read it.
 */
export function readResultData(value: unknown): Result | SchemaFault {
  for (const { at, of } of LISTS) {
    const list = at.reduce<unknown>((held, key) => (isRecord(held) ? held[key] : undefined), value);
    // One that is too long is refused by the schema, before it looks at the members.
    if (!Array.isArray(list) || list.length > Math.max(...Object.values(RESULT_LISTS))) continue;
    for (const [index, member] of list.entries()) {
      const issue = of.safeParse(member).error?.issues[0];
      if (issue !== undefined) return faultOf(issue, [...at, index]);
    }
  }
  const parsed = resultSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return issue === undefined ? { field: 'result', message: 'it is none' } : faultOf(issue, []);
}

function faultOf(issue: z.core.$ZodIssue, within: readonly PropertyKey[]): SchemaFault {
  const message = issue.message.toLowerCase();
  return {
    field: [...within, ...issue.path].join('.') || 'result',
    // It names every key that does not belong there.
    message: message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}…` : message,
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** The JSON Schema of `result.v1.json`. */
export function resultJsonSchema(): Readonly<Record<string, unknown>> {
  return { ...z.toJSONSchema(resultSchema), $id: 'urn:writ:schema:result.v1', title: 'Result of a task, version 1' };
}
