import { foldName, parseNodeId } from '@writ/core';
import { z } from 'zod';
import type { ExtensionClaims, WritClaims } from './types.ts';

/** Longest session, agent or task id, UTF-16 units. */
const LONGEST_ID = 256;
/** Most members of a list inside a grant. */
const LONGEST_LIST = 256;
/** Most further hops that a writ may speak of: as many as a configuration can allow. */
const MOST_HOPS = 64;
/** Seconds: the last second that JavaScript's dates know. */
const LAST_SECOND = 8_640_000_000_000;

const nodeId = z.string().refine((text) => parseNodeId(text) === text, 'not a node id in its stored form');
const name = z.string().refine((text) => foldName(text) === text, 'not a folded name');
/** Ids are compared exactly and shown; nothing that cannot be seen may stand in one. */
const id = z
  .string()
  .max(LONGEST_ID)
  .regex(/^[\x21-\x7e]+$/, 'not a printable id');
/** No agent and no session is called as the person at a node is, whatever its letters: it would be shown as them. */
const agentsOwn = id.refine((text) => text.toLowerCase() !== 'person', 'the name of a person');
const digest = z.string().regex(/^[0-9a-f]{64}$/, 'not a digest');
const nonce = z.string().regex(/^[0-9a-f]{32}$/, 'not a nonce');
const count = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const second = z.int().min(0).max(LAST_SECOND);

/** A set is written once: sorted, without repetition. */
const set = (member: z.ZodType<string>) =>
  z
    .array(member)
    .max(LONGEST_LIST)
    .refine((list) => list.every((one, i) => i === 0 || (list[i - 1] ?? '') < one), 'not sorted and distinct');

const endpoint = z
  .string()
  .max(LONGEST_ID)
  .regex(/^[a-z0-9*.:[\]_-]+:(\d{1,5}|\*)$/, 'not a host and port');
const network = z.union([
  z.literal('deny'),
  z.literal('allow'),
  set(endpoint).refine((list) => list.length > 0, 'an empty list is written deny'),
]);

const grant = z.strictObject({
  closure: set(name),
  workspaces: set(name),
  network,
  maxOutputBytes: count,
});

/** The claims of one hop's writ, exactly: unknown fields are refused. */
export const writClaimsSchema = z.strictObject({
  v: z.literal(1),
  iss: nodeId,
  aud: nodeId,
  task: id,
  origin: nodeId,
  session: agentsOwn,
  agent: agentsOwn,
  profile: name.exactOptional(),
  workspace: name.exactOptional(),
  grant,
  depth: z.int().min(0).max(MOST_HOPS),
  iat: second,
  exp: second,
  nonce,
  prev: digest.exactOptional(),
  request: digest,
  generation: count,
}) satisfies z.ZodType<WritClaims>;

/** The claims of an extension, as exactly. */
export const extensionClaimsSchema = z.strictObject({
  v: z.literal(1),
  iss: nodeId,
  aud: nodeId,
  task: id,
  nonce,
  writ: digest,
  iat: second,
  exp: second,
}) satisfies z.ZodType<ExtensionClaims>;

/** First thing wrong with claims: the field's path and why; undefined where they are well-formed. */
export function claimsFault(
  value: unknown,
  schema: z.ZodType = writClaimsSchema,
): { readonly field: string; readonly why: string } | undefined {
  const issue = schema.safeParse(value).error?.issues[0];
  if (issue === undefined) return undefined;
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const field = [...issue.path.map(String), ...(unknown === undefined ? [] : [unknown])].join('.');
  return { field: field || 'claims', why: unknown === undefined ? issue.message.toLowerCase() : 'unknown field' };
}
