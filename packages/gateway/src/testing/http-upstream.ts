import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';

/** A small MCP server of an older revision over HTTP, for tests that let it lose its sessions. */
export interface HttpUpstream {
  readonly url: string;
  forgetSessions(): void;
  stop(): Promise<void>;
}

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly protocolVersion?: string };
}

const ECHO = { name: 'echo', inputSchema: { type: 'object' } };

/** Serves `echo` on loopback; `lost` is the status that a session gets which it does not know. */
export async function startHttpUpstream(lost: number): Promise<HttpUpstream> {
  const sessions = new Set<string>();
  let count = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method, params } = (await json(request)) as Message;
    const send = (body: object, headers: Record<string, string> = {}): void => {
      response.writeHead(200, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
    };
    if (method === 'initialize') {
      count += 1;
      const session = `session-${count}`;
      sessions.add(session);
      const serverInfo = { name: 'small', version: '1' };
      const result = { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo };
      return send({ result }, { 'mcp-session-id': session });
    }
    if (!sessions.has(String(request.headers['mcp-session-id']))) return void response.writeHead(lost).end();
    if (id === undefined) return void response.writeHead(202).end();
    if (method === 'tools/list') return send({ result: { tools: [ECHO] } });
    send({ result: { content: [{ type: 'text', text: 'here' }] } });
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    forgetSessions: () => sessions.clear(),
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
