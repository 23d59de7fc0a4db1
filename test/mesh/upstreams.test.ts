import { createServer, type Server } from 'node:http';
import { json } from 'node:stream/consumers';
import { createTestMesh, type MeshNode, processesWith, startAgent, type TestAgent, until } from '@writ/testkit/mesh';
import { afterAll, beforeAll, expect, it } from 'vitest';

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly protocolVersion?: string; readonly arguments?: object };
}

/** A small MCP server of an older revision: `echo` gives back what it was called with, and the variables that it sees. */
function answer({ method, params }: Message, variables: readonly string[]): object {
  if (method === 'initialize') {
    const serverInfo = { name: 'small', version: '1' };
    return { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo };
  }
  if (method === 'tools/list') {
    return { tools: ['echo', 'hidden'].map((name) => ({ name, inputSchema: { type: 'object' } })) };
  }
  return { content: [{ type: 'text', text: JSON.stringify({ called: params?.arguments, variables }) }] };
}

/** The same as a program; its last argument is how a test finds it. */
const MARK = 'writ-test-upstream';
const PROGRAM = `const answer = ${answer};
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.id === undefined) return;
  const result = answer(message, Object.keys(process.env));
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }) + '\\n');
});`;

const mesh = createTestMesh();
let http: Server;
let node: MeshNode;
let agent: TestAgent;

beforeAll(async () => {
  http = createServer(async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(405).end();
    const message = (await json(request)) as Message;
    if (message.id === undefined) return response.writeHead(202).end();
    response.setHeader('content-type', 'application/json');
    return response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: answer(message, []) }));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const address = http.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const text = JSON.stringify;
  node = await mesh.add('asking', { environment: { SHOWN: 'yes', KEPT: 'no' } });
  await node.configure(`${node.config()}
[upstreams.small]
command = [${text(process.execPath)}, "-e", ${text(PROGRAM)}, ${text(MARK)}]
env = ["SHOWN"]
session_argument = "session"
agents = ["echo"]
[upstreams.web]
url = "http://127.0.0.1:${port}/mcp"
agents = ["*"]
`);
  agent = await startAgent(node, undefined, ['--toolsets', 'upstreams']);
}, 120_000);
afterAll(async () => {
  await agent.close();
  await mesh.close();
  await new Promise((resolve) => http.close(resolve));
}, 60_000);

/** What `echo` said, of the content of its result. */
function saidIn(content: string): { readonly called: Record<string, string>; readonly variables: readonly string[] } {
  const [{ text }] = JSON.parse(content) as [{ readonly text: string }];
  return JSON.parse(text);
}

const processes = () => processesWith(MARK).length;

it('tools of other servers are offered and called through a node, as far as writ.toml names them', async () => {
  const tools = await agent.tools();
  expect(tools.filter((name) => name.includes('__'))).toEqual(['small__echo', 'web__echo', 'web__hidden']);
  const local = await agent.try('small__echo', { word: 'one', session: 'made up' });
  expect(local.failed).toBe(false);
  const { called, variables } = saidIn(local.text);
  expect(called).toMatchObject({ word: 'one', session: expect.not.stringMatching('made up') });
  expect(variables).toContain('SHOWN');
  expect(variables).not.toContain('KEPT');
  expect(saidIn((await agent.try('web__echo', { word: 'two' })).text).called).toEqual({ word: 'two' });
  expect(await agent.try('small__hidden', {})).toMatchObject({ failed: true });
});

it('a server ends with the reload that takes it away, and one that is there with its node', async () => {
  expect(processes()).toBe(1);
  await node.configure(node.config().replace('env = ["SHOWN"]\n', ''));
  await until('the server of before has ended', () => processes() === 0);
  await agent.try('small__echo', {});
  expect(processes()).toBe(1);
  await node.down();
  await until('the server has ended', () => processes() === 0);
  await node.up();
}, 60_000);
