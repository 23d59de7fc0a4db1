import type { SessionUpdate, ToolCallUpdate } from '@agentclientprotocol/sdk';
import { type Json, visible } from '@writ/core';
import type { ToolKind, ToolRequest } from '../tool-request.ts';
import type { AgentLog } from './agent-log.ts';

/** Tool calls that are remembered, the newest: a request for leave may name one by its id alone. */
const REMEMBERED = 1000;
/** Longest title that is kept, UTF-16 units. */
const LONGEST_TITLE = 4096;

/** What is known of the tool calls of one session. */
export interface ToolCalls {
  /** Takes in what an update says of a call; true where the call is new. */
  merge(update: ToolCallUpdate): boolean;
  /** What leave is asked for, with what was said of the call before. */
  requestOf(update: ToolCallUpdate): ToolRequest;
}

export function createToolCalls(): ToolCalls {
  const known = new Map<string, ToolRequest>();
  const merge = (update: ToolCallUpdate): ToolRequest => {
    const before = known.get(update.toolCallId);
    const request: ToolRequest = {
      kind: kindOf(update.kind ?? before?.kind),
      title: visible(
        (update.title ?? before?.title ?? update.toolCallId).slice(0, LONGEST_TITLE).replace(/[\r\n]+/g, ' '),
      ),
      input: update.rawInput === undefined ? null : (update.rawInput as Json),
    };
    // What it is called with may be large: it is asked about with the request that names it, or not at all.
    known.set(update.toolCallId, { ...request, input: null });
    for (const oldest of known.keys()) {
      if (known.size <= REMEMBERED) break;
      known.delete(oldest);
    }
    return request;
  };
  return {
    merge(update) {
      const isNew = !known.has(update.toolCallId);
      merge(update);
      return isNew;
    },
    requestOf: merge,
  };
}

const KINDS: readonly string[] = ['read', 'edit', 'delete', 'move', 'search', 'execute', 'fetch'];

/** Kinds that this program does not know, or that do nothing to the world, are `other`. */
function kindOf(kind: string | null | undefined): ToolKind {
  return kind !== null && kind !== undefined && KINDS.includes(kind) ? (kind as ToolKind) : 'other';
}

/** Writes down what an agent reports while it works. */
export function readUpdate(update: SessionUpdate, log: AgentLog, calls: ToolCalls): void {
  switch (update.sessionUpdate) {
    case 'agent_message_chunk':
      if (update.content.type === 'text') log.say(update.content.text);
      return;
    case 'tool_call':
      log.endWords();
      if (calls.merge(update)) log.toolCall(titleOf(calls.requestOf(update)));
      return;
    case 'tool_call_update':
      // Some agents name a call for the first time this way.
      if (calls.merge(update)) log.toolCall(titleOf(calls.requestOf(update)));
      if (update.status === 'failed') log.note(`failed: ${titleOf(calls.requestOf(update))}`);
      return;
    case 'plan':
      for (const { status, content } of update.entries) log.note(`plan: ${status}: ${content}`);
      return;
    case 'usage_update':
      if (update.cost?.currency === 'USD') log.usage({ costMicroUsd: Math.round(update.cost.amount * 1e6) });
      return;
    default:
  }
}

function titleOf({ kind, title }: ToolRequest): string {
  return kind === 'other' ? title : `${kind} ${title}`;
}
