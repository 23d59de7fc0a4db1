import type { SessionUpdate, ToolCallContent, ToolCallUpdate } from '@agentclientprotocol/sdk';
import { type Json, visible } from '@writ/core';
import type { ToolChange, ToolKind, ToolRequest } from '../tool-request.ts';
import type { AgentLog } from './agent-log.ts';

/** Tool calls that are remembered, the newest: a request for leave may name one by its id alone. */
const REMEMBERED = 1000;
/** What the newest of them would be called with is remembered too, as far as it is small: it is JSON of the agent's. */
const REMEMBERED_WHOLE = 32;
/** Largest that is remembered, UTF-16 units of JSON. */
const LARGEST_REMEMBERED = 16 * 1024;
/** Longest title that is kept, UTF-16 units. */
const LONGEST_TITLE = 4096;

/** What is known of the tool calls of one session. */
export interface ToolCalls {
  /** Takes in what an update says of a call; true where the call is new. */
  merge(update: ToolCallUpdate): boolean;
  /** What leave is asked for, with what was said of the call before. */
  requestOf(update: ToolCallUpdate): ToolRequest;
}

/** What a call does, beside its kind and title. */
type Matter = Pick<ToolRequest, 'paths' | 'input' | 'changes'>;

type Part = keyof Matter;

/** What is remembered of a call, however much it is about. */
interface Known extends Pick<ToolRequest, 'kind' | 'title'> {
  /** What has been told of it. */
  readonly told: readonly Part[];
}

const NO_MATTER: Matter = { paths: [], input: null, changes: [] };

export function createToolCalls(): ToolCalls {
  const known = new Map<string, Known>();
  const whole = new Map<string, Matter>();
  const merge = (update: ToolCallUpdate): ToolRequest => {
    const { toolCallId: id } = update;
    const before = known.get(id);
    const named = {
      kind: kindOf(update.kind ?? before?.kind),
      title: visible((update.title ?? before?.title ?? id).slice(0, LONGEST_TITLE).replace(/[\r\n]+/g, ' ')),
    };
    const again = partsIn(update);
    // What was told and is forgotten is not nothing: the call is about more than is known here.
    const lost = whole.has(id) ? [] : (before?.told ?? []).filter((part) => !again.includes(part));
    const matter = matterOf(update, whole.get(id) ?? NO_MATTER);
    keep(known, id, { ...named, told: [...lost, ...partsOf(matter)] }, REMEMBERED);
    if (lost.length === 0 && isSmall(matter)) keep(whole, id, matter, REMEMBERED_WHOLE);
    else whole.delete(id);
    return { ...named, ...matter, ...(lost.length === 0 ? {} : { untold: true }) };
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

/** What an update says of a call, even that it is nothing. */
function partsIn({ rawInput, locations, content }: ToolCallUpdate): readonly Part[] {
  return [
    ...(locations ? ['paths' as const] : []),
    ...(rawInput === undefined ? [] : ['input' as const]),
    ...(content ? ['changes' as const] : []),
  ];
}

function partsOf({ paths, input, changes }: Matter): readonly Part[] {
  return [
    ...(paths.length === 0 ? [] : ['paths' as const]),
    ...(input === null ? [] : ['input' as const]),
    ...(changes.length === 0 ? [] : ['changes' as const]),
  ];
}

/** What an update does not say stays as it was. */
function matterOf({ rawInput, locations, content }: ToolCallUpdate, before: Matter): Matter {
  return {
    paths: locations ? locations.map(({ path }) => path) : before.paths,
    input: rawInput === undefined ? before.input : (rawInput as Json),
    changes: content ? content.flatMap(changeOf) : before.changes,
  };
}

function changeOf(content: ToolCallContent): readonly ToolChange[] {
  if (content.type !== 'diff') return [];
  const { path, oldText, newText } = content;
  return [{ path, ...(typeof oldText === 'string' ? { before: oldText } : {}), after: newText }];
}

/** What is nested too deeply has no text, and is not kept. */
function isSmall(matter: Matter): boolean {
  try {
    return JSON.stringify(matter).length <= LARGEST_REMEMBERED;
  } catch {
    return false;
  }
}

function keep<T>(map: Map<string, T>, id: string, value: T, most: number): void {
  map.delete(id);
  map.set(id, value);
  for (const oldest of map.keys()) {
    if (map.size <= most) break;
    map.delete(oldest);
  }
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

function titleOf({ kind, title }: Pick<ToolRequest, 'kind' | 'title'>): string {
  return kind === 'other' ? title : `${kind} ${title}`;
}
