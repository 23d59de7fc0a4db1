import {
  type AnyMessage,
  methods,
  type PermissionOption,
  type RequestPermissionOutcome,
} from '@agentclientprotocol/sdk';
import { z } from 'zod';
import type { ToolAnswer } from '../tool-request.ts';
import { calledTool } from './acp-session-update.ts';
import { hasTexts, listOf } from './event-list.ts';

type Option = Readonly<Record<'optionId' | 'name' | 'kind', string>>;
const isOption = (value: unknown): value is Option => hasTexts(value, 'optionId', 'name', 'kind');

const asked = z.looseObject({ sessionId: z.string(), toolCall: calledTool, options: listOf(isOption) });

/**
 * A request for leave with what is looked at of it and nothing else; every other message as it is. The library would make an error of each part that it
 * cannot read, see `listOf`: where something is none, it gets to see no parameters, and says that they are none.
 */
export function withPlainParams(message: AnyMessage): AnyMessage {
  if (!('method' in message) || message.method !== methods.client.session.requestPermission) return message;
  const { data } = asked.safeParse('params' in message ? message.params : undefined);
  if (data === undefined) return { ...message, params: {} };
  const { sessionId, toolCall, options } = data;
  const { toolCallId, kind, title, status, rawInput, locations, content } = toolCall;
  const call = {
    ...{ toolCallId, kind, title, status, rawInput },
    locations: locations?.map(({ path }) => ({ path })),
    content: content?.filter(({ type }) => type === 'diff'),
  };
  const plainOptions = options.map(({ optionId, name, kind }) => ({ optionId, name, kind }));
  return { ...message, params: { sessionId, toolCall: call, options: plainOptions } };
}

/** Which kinds of options say yes and no, the narrower first. What lasts is never chosen for a yes. */
const YES = ['allow_once'] as const;
const NO = ['reject_once', 'reject_always'] as const;

/**
 * The option that says it: by its kind, for an id or a name can promise anything. `cancelled` where nobody answers any more
 * or no option says it. A yes counts for the one call that was asked about.
 */
export function permissionAnswer(
  options: readonly PermissionOption[],
  answer: ToolAnswer | undefined,
): RequestPermissionOutcome {
  if (answer === undefined) return { outcome: 'cancelled' };
  const kinds: readonly string[] = answer.allowed ? YES : NO;
  const fitting = kinds.flatMap((kind) => options.filter((option) => option.kind === kind));
  const [chosen] = fitting;
  return chosen === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: chosen.optionId };
}
