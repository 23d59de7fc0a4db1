import { PassThrough } from 'node:stream';
import {
  Client,
  type ClientOptions,
  ReadBuffer,
  StreamableHTTPClientTransport,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import type { HostPort } from '@writ/core';
import type { ControlClient } from '../client/index.ts';
import { HOST_TOKEN } from './fake-node.ts';

/** The current revision, and the one before sessions and handshakes went away. */
export const ERAS = ['2026-07-28', '2025-11-25'] as const;
export type Era = (typeof ERAS)[number];

/** A client of that revision. */
export function mcpClient(era: Era, options: ClientOptions = {}, name = 'Test Client/1'): Client {
  const mode = era === '2025-11-25' ? 'legacy' : { pin: era };
  return new Client({ name, version: '1' }, { ...options, versionNegotiation: { mode } });
}

/** What a client has of `writ mcp serve`: two streams, with the byte pipe behind them. */
export function pipeTransport(
  control: ControlClient,
  toolsets?: string,
): Transport & { readonly piped: Promise<unknown> } {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const piped = control.mcpPipe(stdin, stdout, toolsets === undefined ? {} : { toolsets });
  const buffer = new ReadBuffer();
  const transport: Transport & { readonly piped: Promise<unknown> } = {
    piped,
    async start() {
      stdout.on('data', (chunk: Buffer) => {
        buffer.append(chunk);
        for (let message = buffer.readMessage(); message !== null; message = buffer.readMessage()) {
          transport.onmessage?.(message);
        }
      });
      piped.then(
        () => transport.onclose?.(),
        (error: Error) => transport.onerror?.(error),
      );
    },
    async send(message) {
      stdin.write(serializeMessage(message));
    },
    async close() {
      stdin.end();
      await piped;
    },
  };
  return transport;
}

/** A client's end of `/mcp` at that address. */
export function httpTransport(
  { host, port }: HostPort,
  headers: Readonly<Record<string, string>> = {},
): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(`http://${host}:${port}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${HOST_TOKEN}`, ...headers } },
  });
}

/** What a tool answered, which it says twice. */
export interface Called {
  /** As its text says it. */
  readonly value: Readonly<Record<string, unknown>>;
  readonly structured: unknown;
  readonly failed: boolean;
}

/** Calls a tool. */
export async function callTool(client: Client, name: string, input: Record<string, unknown> = {}): Promise<Called> {
  const result = await client.callTool({ name, arguments: input });
  const [first] = result.content;
  const value = JSON.parse(first?.type === 'text' ? first.text : '{}');
  return { value, structured: result.structuredContent, failed: result.isError === true };
}
