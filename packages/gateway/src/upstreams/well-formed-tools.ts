import { isSpecType, type RequestId, type Result, type Transport } from '@modelcontextprotocol/client';
import { MOST_VALUES, visible } from '@writ/core';
import { faultOfType } from '../mcp/request-params.ts';
import { offeredName } from './offered-tool.ts';

/** Most tools of one server that are named as left out. */
const MOST_NAMED = 20;
/** Deepest nesting of one tool as its server writes it. */
const DEEPEST = 64;

/** A tool that is not offered, because no client could use it. */
export interface LeftOut {
  /** Its name as the server gives it, made visible. */
  readonly tool: string;
  /** What is wrong with it. */
  readonly why: string;
}

/**
 * Takes tools that are none out of what a server lists, on the way to a connected client: it would refuse the whole list
 * for one of them; so would one of this node, for two of one name. `note` is called with each page of a list, and told all that was left out of it; a new list begins with none.
 */
export function keepWellFormedTools(
  transport: Transport,
  upstream: string,
  note: (leftOut: readonly LeftOut[]) => void,
): void {
  const leftOut = new Map<string, string>();
  const names = new Set<string>();
  const asked = new Set<RequestId>();
  const sift = (result: Result): Result => {
    if (!Array.isArray(result.tools)) return result;
    const tools = result.tools.filter((tool: unknown) => {
      const why = faultOf(tool, upstream, names);
      if (why !== undefined && leftOut.size < MOST_NAMED) leftOut.set(nameOf(tool), why);
      return why === undefined;
    });
    note([...leftOut].map(([tool, why]) => ({ tool, why })));
    return { ...result, tools };
  };
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if ('method' in message && message.method === 'tools/list' && 'id' in message) {
      asked.add(message.id);
      if (message.params?.cursor === undefined) {
        leftOut.clear();
        names.clear();
      }
    }
    return send(message, options);
  };
  const deliver = transport.onmessage;
  transport.onmessage = (message, extra) => {
    const isList = !('method' in message) && message.id !== undefined && asked.delete(message.id);
    deliver?.(isList && 'result' in message ? { ...message, result: sift(message.result) } : message, extra);
  };
}

/** What keeps a tool from being one; `names` are those that the tools before it have, and get its own. */
function faultOf(tool: unknown, upstream: string, names: Set<string>): string | undefined {
  const excess = excessOf(tool);
  if (excess !== undefined) return excess;
  if (!isSpecType.Tool(tool)) return faultOfType('Tool', tool) ?? 'it is no tool';
  if (offeredName(upstream, tool.name) === undefined) return 'no client could call it by this name';
  if (names.has(tool.name)) return 'another one before it has the same name';
  names.add(tool.name);
  return undefined;
}

/** What is too much of it, its schemas with all their parts; found out level by level, since it may be nested without end. */
function excessOf(tool: unknown): string | undefined {
  let level: readonly unknown[] = [tool];
  let count = 1;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) return `it is nested deeper than ${DEEPEST} levels`;
    const parts: unknown[] = [];
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue;
      for (const part of Object.values(value)) parts.push(part);
    }
    count += parts.length;
    if (count > MOST_VALUES) return `it holds more than ${MOST_VALUES} values`;
    level = parts;
  }
  return undefined;
}

function nameOf(tool: unknown): string {
  const name = typeof tool === 'object' && tool !== null && 'name' in tool ? tool.name : undefined;
  return typeof name === 'string' ? visible(name).slice(0, 80) : 'one without a name';
}
