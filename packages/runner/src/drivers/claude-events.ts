import { z } from 'zod';
import type { AgentLog } from './agent-log.ts';

/** As of Claude Code 1 and 2, `--output-format stream-json`; fields that nothing is made of are left out. */
const text = z.looseObject({ type: z.literal('text'), text: z.string() });
const toolUse = z.looseObject({ type: z.literal('tool_use'), name: z.string(), input: z.unknown() });
const block = z.union([text, toolUse, z.looseObject({ type: z.string() })]);

const event = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('system'), subtype: z.string().optional(), model: z.string().optional() }),
  z.looseObject({
    type: z.literal('assistant'),
    /** The call that started the helper whose message this is; none: it is the agent's own. */
    parent_tool_use_id: z.string().nullish(),
    message: z.looseObject({ content: z.array(block) }),
  }),
  z.looseObject({ type: z.literal('user') }),
  z.looseObject({
    type: z.literal('result'),
    subtype: z.string(),
    is_error: z.boolean(),
    result: z.string().optional(),
    errors: z.array(z.string()).optional(),
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
    permission_denials: z.array(z.looseObject({ tool_name: z.string() })).optional(),
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

function readBlock(one: z.infer<typeof block>, log: AgentLog): void {
  const said = text.safeParse(one);
  if (said.success) {
    log.say(said.data.text);
    log.endWords();
  }
  const used = toolUse.safeParse(one);
  if (used.success) log.toolCall(`${used.data.name} ${textOf(used.data.input)}`);
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
