import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { hostTokenOf, type MeshNode } from './mesh-node.ts';
import { programCommand } from './program.ts';

/** An agent's client, connected to a node. */
export interface TestAgent {
  /** Names of the tools that it is offered. */
  tools(): Promise<readonly string[]>;
  /** Calls a tool and returns its structured answer; `onProgress` is told how it goes on. Throws where the tool failed. */
  call(
    name: string,
    input: Record<string, unknown>,
    onProgress?: (message: string) => void,
  ): Promise<Record<string, unknown>>;
  /** Calls a tool; `failed` also where the protocol refused the call. */
  try(name: string, input: Record<string, unknown>): Promise<{ readonly failed: boolean; readonly text: string }>;
  /** Resolves when the server has gone. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

const SELF = { name: 'test-agent', version: '1.0.0' };

/** Starts `writ mcp serve`, with more options where they are given, at `node` as an agent's program would. */
export async function startAgent(
  node: MeshNode,
  environment: Readonly<Record<string, string>> = { PATH: process.env.PATH ?? '' },
  options: readonly string[] = [],
): Promise<TestAgent> {
  const { command, args } = programCommand(['--home', node.home, 'mcp', 'serve', ...options]);
  const transport = new StdioClientTransport({ command, args, env: environment, stderr: 'ignore' });
  return connect(new Client(SELF), transport);
}

/** Connects to the node's loopback listener at `port`, with every tool, in an older revision of the protocol: one session a client. */
export function startHttpAgent(node: MeshNode, port: number): Promise<TestAgent> {
  const headers = { authorization: `Bearer ${hostTokenOf(node.home)}`, 'writ-toolsets': 'all' };
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  const client = new Client(SELF, { versionNegotiation: { mode: 'legacy' } });
  return connect(client, new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
}

async function connect(client: Client, transport: Transport): Promise<TestAgent> {
  const ended = new Promise<void>((resolve) => {
    client.onclose = resolve;
  });
  await client.connect(transport);
  const callTool = async (name: string, input: Record<string, unknown>, onProgress?: (message: string) => void) => {
    const told = onProgress && { onprogress: ({ message = '' }) => onProgress(message) };
    const result = await client.callTool({ name, arguments: input }, told);
    return { failed: result.isError === true, text: JSON.stringify(result.content), value: result.structuredContent };
  };
  return {
    tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    async call(name, input, onProgress) {
      const { failed, text, value } = await callTool(name, input, onProgress);
      if (failed || value === undefined) throw new Error(`tool ${name} failed: ${text}`);
      return value as Record<string, unknown>;
    },
    try: (name, input) => callTool(name, input).catch((error: Error) => ({ failed: true, text: error.message })),
    ended,
    close: () => client.close(),
  };
}
