import { CLIENT_INFO_META_KEY, Server, type ServerContext } from '@modelcontextprotocol/server';
import { type Logger, WritError } from '@writ/core';
import type { Dispatcher } from '../dispatch.ts';
import { tellFailure } from '../failure.ts';
import type { NodeControl, Sessions } from '../ports.ts';
import type { Registry } from '../registry.ts';
import type { Caller, Toolset } from '../types.ts';
import { toolDefinitions } from './tool-definitions.ts';
import { answerResult, failureResult } from './tool-results.ts';

/** Most tool calls of one client that run at once. */
const MOST_CALLS = 64;

const INSTRUCTIONS =
  'Hands work to other machines under policy. Start with whoami and list_peers; delegate, then wait, then result. ' +
  'accepted=false is a decision, not a fault: tell the person what decided.next_steps says; only a person can lend a lease or widen policy.';

/** What MCP is served from, on every transport. */
export interface McpParts {
  readonly registry: Registry;
  readonly dispatcher: Dispatcher;
  readonly sessions: Pick<Sessions, 'start'>;
  readonly node: Pick<NodeControl, 'info'>;
  readonly logger: Logger;
}

/** Whom a tool server serves. */
export interface McpAudience {
  readonly caller: Caller;
  readonly toolsets: readonly Toolset[];
  /** The caller of a call, from what the client calls itself. */
  readonly withSession: (clientName: string | undefined) => Caller;
}

/** The one factory of servers, for every transport and every revision of the protocol. */
export function createToolServer(parts: McpParts, audience: McpAudience): Server {
  const { version } = parts.node.info();
  const server = new Server(
    { name: 'writ', title: 'Writ', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  const tools = toolDefinitions(parts.registry, audience.caller, audience.toolsets);
  const offered = new Set(tools.map(({ name }) => name));
  let running = 0;
  server.setRequestHandler('tools/list', () => ({ tools }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    running += 1;
    try {
      if (running > MOST_CALLS) throw new WritError('RATE_LIMITED', `more than ${MOST_CALLS} calls at once`);
      if (!offered.has(params.name)) throw unknownTool();
      const who = audience.withSession(clientName(server, context));
      const call = parts.dispatcher.prepare(params.name, params.arguments ?? {}, who);
      if (call.form === 'stream') throw unknownTool();
      return answerResult(await call.run({ caller: who, signal: context.mcpReq.signal }));
    } catch (error) {
      return failureResult(tellFailure(error, params.name, audience.caller, parts.logger));
    } finally {
      running -= 1;
    }
  });
  return server;
}

function unknownTool(): WritError {
  return new WritError('NOT_FOUND', 'there is no such tool', { nextSteps: ['list the tools again'] });
}

/** Newer revisions say who the client is with each request, older ones once at the start. */
function clientName(server: Server, context: ServerContext): string | undefined {
  const envelope: Readonly<Record<string, unknown>> = context.mcpReq.envelope ?? {};
  const client = envelope[CLIENT_INFO_META_KEY];
  if (typeof client === 'object' && client !== null && 'name' in client && typeof client.name === 'string') {
    return client.name;
  }
  return server.getClientVersion()?.name;
}
