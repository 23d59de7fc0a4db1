import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

/** A server as the SDK's own documentation writes it, with one tool that says what it is told. */
function echoServer(): McpServer {
  const server = new McpServer({ name: 'echo', version: '1' });
  const text = z.object({ text: z.string() });
  server.registerTool('echo', { inputSchema: text, outputSchema: text }, (said) => ({
    content: [{ type: 'text', text: JSON.stringify(said) }],
    structuredContent: said,
  }));
  return server;
}

/** Serves it on standard input and output, or over HTTP on a free port, which it tells the parent process; ends when that is gone. */
export function serveEcho(transport: string): void {
  if (transport === 'stdio') {
    serveStdio(echoServer);
    return;
  }
  const server = createServer(toNodeHandler(createMcpHandler(echoServer)));
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
  process.on('disconnect', () => process.exit(0));
}
