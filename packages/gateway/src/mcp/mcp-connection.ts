import type { Duplex } from 'node:stream';
import { CLIENT_INFO_META_KEY, Server, type ServerContext } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { type Logger, WritError } from '@writ/core';
import type { Dispatcher } from '../dispatch.ts';
import { tellFailure } from '../failure.ts';
import type { NodeControl, Sessions } from '../ports.ts';
import type { Registry } from '../registry.ts';
import type { Caller, Toolset } from '../types.ts';
import { agentName } from './agent-name.ts';
import { toolDefinitions } from './tool-definitions.ts';
import { answerResult, failureResult } from './tool-results.ts';

/** Largest JSON-RPC message that a client may send, bytes. */
const LARGEST_MESSAGE_BYTES = 4 * 1024 * 1024;
/** Most tool calls of one connection that run at once. */
const MOST_CALLS = 64;

const INSTRUCTIONS =
  'Hands work to other machines under policy. Start with whoami and list_peers; delegate, then wait, then result. ' +
  'accepted=false is a decision, not a fault: tell the person what decided.next_steps says; only a person can lend a lease or widen policy.';

/** What MCP is served from. */
export interface McpParts {
  readonly registry: Registry;
  readonly dispatcher: Dispatcher;
  readonly sessions: Sessions;
  readonly node: NodeControl;
  readonly logger: Logger;
}

/**
 * Serves MCP, of the current and of older revisions, as JSON lines on a connection. One session a connection, started
 * with its first tool call. Returns how to end it.
 */
export function serveMcp(
  parts: McpParts,
  socket: Duplex,
  caller: Caller,
  toolsets: readonly Toolset[],
): () => Promise<void> {
  const transport = new StdioServerTransport(socket, socket, { maxBufferSize: LARGEST_MESSAGE_BYTES });
  const withSession = sessionOf(parts.sessions, caller);
  const handle = serveStdio(() => createToolServer(parts, { caller, toolsets }, withSession), {
    transport,
    onerror: (error) => parts.logger.debug('mcp connection', { message: error.message }),
  });
  const over = transport.onclose;
  transport.onclose = () => {
    over?.();
    // What was answered goes out; what the client still sends is read by nobody, so nothing waits for it.
    socket.end(() => socket.destroy());
  };
  socket.on('error', (error) => parts.logger.debug('mcp connection lost', { message: error.message }));
  return () => handle.close();
}

type WithSession = (clientName: string | undefined) => Caller;

/** INVARIANT: 7 the session of a connection is made here, once, and never named by the client. */
function sessionOf(sessions: Sessions, caller: Caller): WithSession {
  let withSession: Caller | undefined = caller.kind === 'task' ? caller : undefined;
  return (clientName) => {
    withSession ??= { kind: 'host', session: sessions.start(agentName(clientName)) };
    return withSession;
  };
}

function createToolServer(
  parts: McpParts,
  { caller, toolsets }: { readonly caller: Caller; readonly toolsets: readonly Toolset[] },
  withSession: WithSession,
): Server {
  const { version } = parts.node.info();
  const server = new Server(
    { name: 'writ', title: 'Writ', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  const tools = toolDefinitions(parts.registry, caller, toolsets);
  const offered = new Set(tools.map(({ name }) => name));
  let running = 0;
  server.setRequestHandler('tools/list', () => ({ tools }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    running += 1;
    try {
      if (running > MOST_CALLS) throw new WritError('RATE_LIMITED', `more than ${MOST_CALLS} calls at once`);
      if (!offered.has(params.name)) throw unknownTool();
      const who = withSession(clientName(server, context));
      const call = parts.dispatcher.prepare(params.name, params.arguments ?? {}, who);
      if (call.form === 'stream') throw unknownTool();
      return answerResult(await call.run({ caller: who, signal: context.mcpReq.signal }));
    } catch (error) {
      return failureResult(tellFailure(error, params.name, caller, parts.logger));
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
