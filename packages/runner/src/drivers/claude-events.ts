import { z } from 'zod';
import type { AgentLog } from './agent-log.ts';
import { hasTexts, listOf } from './event-list.ts';

/** A part of a message: words, a tool call, or what nothing is made of. */
type Block = Readonly<Record<'type', string>>;

const isBlock = (value: unknown): value is Block => hasTexts(value, 'type');
const isDenial = (value: unknown): value is Readonly<Record<'tool_name', string>> => hasTexts(value, 'tool_name');
const isText = (value: unknown): value is string => typeof value === 'string';

/** As of Claude Code 1 and 2, `--output-format stream-json`; fields that nothing is made of are left out. */
const event = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('system'), subtype: z.string().optional(), model: z.string().optional() }),
  z.looseObject({
    type: z.literal('assistant'),
    /** The call that started the helper whose message this is; none: it is the agent's own. */
    parent_tool_use_id: z.string().nullish(),
    message: z.looseObject({ content: listOf(isBlock) }),
  }),
  z.looseObject({ type: z.literal('user') }),
  z.looseObject({
    type: z.literal('result'),
    subtype: z.string(),
    is_error: z.boolean(),
    result: z.string().optional(),
    errors: listOf(isText).optional(),
    num_turns: z.int().min(0).optional(),
    total_cost_usd: z.number().min(0).optional(),
    usage: z
      .looseObject({
        input_tokens: z.int().min(0).optional(),
        cache_creation_input_tokens: z.int().min(0).nullish(),
        cache_read_input_tokens: z.int().min(0).nullish(),
        output_tokens: z.int().min(0).optional(),
      })
      .optional(),
    permission_denials: listOf(isDenial).optional(),
  }),
]);

type Event = z.infer<typeof event>;
type Ending = Extract<Event, { type: 'result' }>;

/** Reads one event of Claude Code's stream; false where it is none that is known. */
export function readClaudeEvent(value: unknown, log: AgentLog): boolean {
  const parsed = event.safeParse(value);
  if (!parsed.success) return false;
  const { data } = parsed;
  switch (data.type) {
    case 'system':
      if (data.subtype === 'init') log.note(`agent: claude${data.model === undefined ? '' : `, model ${data.model}`}`);
      return true;
    case 'assistant':
      log.turn();
      // What a helper says behind its back does not undo what it said itself.
      if (typeof data.parent_tool_use_id !== 'string') log.resume();
      for (const one of data.message.content) readBlock(one, log);
      return true;
    case 'user':
      return true;
    case 'result':
      readEnding(data, log);
      return true;
  }
}

function readBlock(one: Block, log: AgentLog): void {
  if (one.type === 'text' && hasTexts(one, 'text')) {
    log.say(one.text);
    log.endWords();
  }
  if (one.type === 'tool_use' && hasTexts(one, 'name')) {
    log.toolCall(`${one.name} ${textOf('input' in one ? one.input : undefined)}`);
  }
}

/** What is nested too deeply has no text. */
function textOf(input: unknown): string {
  try {
    return JSON.stringify(input ?? {});
  } catch {
    return '(unreadable)';
  }
}

function readEnding(ending: Ending, log: AgentLog): void {
  const { usage, total_cost_usd: cost } = ending;
  for (const { tool_name: tool } of ending.permission_denials ?? []) log.refusal(tool, 'the grant does not hold it');
  log.usage({
    ...(usage?.input_tokens === undefined
      ? {}
      : {
          // What was read from the agent's cache was sent to the model all the same.
          inputTokens:
            usage.input_tokens + (usage.cache_creation_input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0),
        }),
    ...(usage?.output_tokens === undefined ? {} : { outputTokens: usage.output_tokens }),
    ...(cost === undefined ? {} : { costMicroUsd: Math.round(cost * 1e6) }),
  });
  if (ending.subtype === 'success' && !ending.is_error) log.end('completed');
  else log.end('failed', ending.errors?.join('; ') || ending.result || ending.subtype.replaceAll('_', ' '));
}
