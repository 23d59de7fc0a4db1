import { z } from 'zod';
import type { AgentLog } from './agent-log.ts';
import { hasTexts, listOf } from './event-list.ts';

const isChange = (value: unknown): value is Readonly<Record<'path' | 'kind', string>> =>
  hasTexts(value, 'path', 'kind');

/** As of `codex exec --json` since its version 0.44; fields that nothing is made of are left out. */
const item = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('agent_message'), text: z.string() }),
  z.looseObject({ type: z.literal('reasoning') }),
  z.looseObject({
    type: z.literal('command_execution'),
    command: z.string(),
    exit_code: z.int().nullish(),
    status: z.string().optional(),
  }),
  z.looseObject({
    type: z.literal('file_change'),
    changes: listOf(isChange),
    status: z.string().optional(),
  }),
  z.looseObject({
    type: z.literal('mcp_tool_call'),
    server: z.string(),
    tool: z.string(),
    status: z.string().optional(),
  }),
  z.looseObject({ type: z.literal('web_search'), query: z.string() }),
  z.looseObject({ type: z.literal('todo_list') }),
  z.looseObject({ type: z.literal('error'), message: z.string() }),
]);

const tokens = z.int().min(0);
const event = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('thread.started') }),
  z.looseObject({ type: z.literal('turn.started') }),
  z.looseObject({
    type: z.literal('turn.completed'),
    usage: z.looseObject({ input_tokens: tokens.optional(), output_tokens: tokens.optional() }).nullish(),
  }),
  z.looseObject({ type: z.literal('turn.failed'), error: z.looseObject({ message: z.string() }) }),
  z.looseObject({ type: z.literal('item.started'), item: z.unknown() }),
  z.looseObject({ type: z.literal('item.updated'), item: z.unknown() }),
  z.looseObject({ type: z.literal('item.completed'), item }),
  z.looseObject({ type: z.literal('error'), message: z.string() }),
]);

/** Reads one event of Codex's stream; false where it is none that is known. */
export function readCodexEvent(value: unknown, log: AgentLog): boolean {
  const parsed = event.safeParse(value);
  if (!parsed.success) return false;
  const { data } = parsed;
  switch (data.type) {
    case 'turn.started':
      log.turn();
      log.resume();
      return true;
    case 'turn.completed':
      readUsage(data.usage, log);
      log.end('completed');
      return true;
    case 'turn.failed':
      log.end('failed', data.error.message);
      return true;
    case 'item.completed':
      readItem(data.item, log);
      return true;
    case 'error':
      // It tells of every reconnection this way: only the turn's own end says that the work failed.
      log.note(`error: ${data.message}`);
      return true;
    default:
      return true;
  }
}

function readUsage(
  usage: { readonly input_tokens?: number | undefined; readonly output_tokens?: number | undefined } | null | undefined,
  log: AgentLog,
): void {
  log.usage({
    ...(usage?.input_tokens === undefined ? {} : { inputTokens: usage.input_tokens }),
    ...(usage?.output_tokens === undefined ? {} : { outputTokens: usage.output_tokens }),
  });
}

function readItem(one: z.infer<typeof item>, log: AgentLog): void {
  switch (one.type) {
    case 'agent_message':
      log.say(one.text);
      log.endWords();
      return;
    case 'command_execution':
      if (one.status === 'declined') log.refusal(one.command, 'its sandbox');
      else log.toolCall(`run ${one.command}${typeof one.exit_code === 'number' ? ` (status ${one.exit_code})` : ''}`);
      return;
    case 'file_change':
      log.toolCall(`edit ${one.changes.map(({ kind, path }) => `${kind} ${path}`).join(', ')}`);
      return;
    case 'mcp_tool_call':
      log.toolCall(`${one.server}/${one.tool}${one.status === 'failed' ? ' (failed)' : ''}`);
      return;
    case 'web_search':
      log.toolCall(`search ${one.query}`);
      return;
    case 'error':
      log.note(`error: ${one.message}`);
      return;
    default:
  }
}
