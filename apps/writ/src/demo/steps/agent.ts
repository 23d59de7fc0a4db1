import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Stage, Step } from '../types.ts';
import { writCommand } from '../writ-command.ts';

export const agent: Step = {
  name: "an agent does the same through alpha's MCP tools",
  expected: 'sees beta, delegates, waits: completed, reads the output; may not lend a lease',
  async run(stage) {
    const { client, close } = await connectAgent(stage);
    try {
      const { tools } = await client.listTools();
      const peers = await call<{ peers: { label: string }[] }>(client, 'list_peers', {});
      const sees = peers.peers.map((peer) => peer.label).join(', ');
      const asked = await call<{ task: string }>(client, 'delegate', {
        to: 'beta',
        argv: ['git', 'log', '--oneline', '-1'],
        profile: 'query',
        workspace: 'app',
      });
      const done = await call<{ state: string }>(client, 'wait', { task: asked.task, timeout_seconds: 20 });
      const log = await call<{ text: string }>(client, 'transcript', { task: asked.task });
      stage.show(log.text.trim());
      const lends = tools.some((tool) => tool.name.includes('lease_grant'))
        ? 'may lend a lease'
        : 'may not lend a lease';
      const reads = log.text.trim() === '' ? 'reads nothing' : 'reads the output';
      return `sees ${sees}, delegates, waits: ${done.state}, ${reads}; ${lends}`;
    } finally {
      await close();
    }
  },
};

/** Starts `writ mcp serve` on alpha as an agent's client would, and connects to it. */
async function connectAgent(stage: Stage): Promise<{ client: Client; close(): Promise<void> }> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...writCommand('--home', stage.alpha.home.root, 'mcp', 'serve').slice(1)],
    stderr: 'ignore',
  });
  const client = new Client({ name: 'demo-agent', version: '1.0.0' });
  await client.connect(transport);
  return { client, close: () => client.close() };
}

async function call<T>(client: Client, name: string, input: Record<string, unknown>): Promise<T> {
  const result = await client.callTool({ name, arguments: input });
  if (result.isError === true || result.structuredContent === undefined) {
    throw new Error(`tool ${name} failed: ${JSON.stringify(result.content)}`);
  }
  return result.structuredContent as T;
}
