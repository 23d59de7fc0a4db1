import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { z } from 'zod';
import { hasTexts, listOf } from './event-list.ts';

const isPlace = (value: unknown): value is Readonly<Record<'path', string>> => hasTexts(value, 'path');
const isEntry = (value: unknown): value is Readonly<Record<'status' | 'content', string>> =>
  hasTexts(value, 'status', 'content');

/** A diff, whole, or anything else that has a type. */
function isContent(value: unknown): value is Readonly<Record<'type', string>> {
  if (!hasTexts(value, 'type') || value.type !== 'diff') return hasTexts(value, 'type');
  const before = 'oldText' in value ? value.oldText : undefined;
  return hasTexts(value, 'path', 'newText') && (before === undefined || before === null || typeof before === 'string');
}

const call = {
  toolCallId: z.string(),
  kind: z.string().nullish(),
  title: z.string().nullish(),
  status: z.string().nullish(),
  rawInput: z.unknown().optional(),
  locations: listOf(isPlace).nullish(),
  content: listOf(isContent).nullish(),
};

/** A tool call as far as it is looked at. */
export const calledTool = z.looseObject(call);

/** The updates that something is done with, and of each what is looked at. */
const schema = z.discriminatedUnion('sessionUpdate', [
  z.looseObject({
    sessionUpdate: z.literal('agent_message_chunk'),
    content: z.union([
      z.looseObject({ type: z.literal('text'), text: z.string() }),
      z.looseObject({ type: z.string().refine((type) => type !== 'text') }),
    ]),
  }),
  z.looseObject({ sessionUpdate: z.literal('tool_call'), ...call }),
  z.looseObject({ sessionUpdate: z.literal('tool_call_update'), ...call }),
  z.looseObject({
    sessionUpdate: z.literal('plan'),
    entries: listOf(isEntry),
  }),
  z.looseObject({
    sessionUpdate: z.literal('usage_update'),
    cost: z.looseObject({ currency: z.string(), amount: z.number() }).nullish(),
  }),
]);

const params = z.looseObject({ update: z.unknown() });

/**
 * The update in the parameters of a notification; undefined for one that nothing is done with, or that is none. The library
 * writes what it cannot read to the standard error of this process, as often as an agent sends it: it gets to see none.
 */
export function sessionUpdateIn(value: unknown): SessionUpdate | undefined {
  const update = params.safeParse(value).data?.update;
  return isUpdate(update) ? update : undefined;
}

function isUpdate(value: unknown): value is SessionUpdate {
  return schema.safeParse(value).success;
}
