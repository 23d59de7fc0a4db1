import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { z } from 'zod';

const call = {
  toolCallId: z.string(),
  kind: z.string().nullish(),
  title: z.string().nullish(),
  status: z.string().nullish(),
  rawInput: z.unknown().optional(),
  locations: z.array(z.looseObject({ path: z.string() })).nullish(),
  content: z
    .array(
      z.union([
        z.looseObject({
          type: z.literal('diff'),
          ...{ path: z.string(), oldText: z.string().nullish(), newText: z.string() },
        }),
        z.looseObject({ type: z.string().refine((type) => type !== 'diff') }),
      ]),
    )
    .nullish(),
};

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
    entries: z.array(z.looseObject({ status: z.string(), content: z.string() })),
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
