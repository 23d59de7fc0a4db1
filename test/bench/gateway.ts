import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createTestMesh, hostTokenOf, type MeshNode, upWithHttp, WRIT_PROGRAM } from '@writ/testkit/mesh';
import { measure } from './measure.ts';
import { endChild } from './process.ts';
import type { Comparison } from './report.ts';
import type { Subject } from './subject.ts';

/** The current revision of the protocol. */
const REVISION = '2026-07-28';
/** Makes the answer of the echo as long as that of `whoami`. */
const SAID = { text: 'x'.repeat(300) };
const GOAL_10: readonly Comparison[] = [
  { of: 'stdio', over: 'stdio echo', atMost: 1.5 },
  { of: 'http', over: 'http echo', atMost: 1.5 },
];

/** A client that calls one tool again and again; `open` says over what. */
function toolSubject(
  name: string,
  tool: { readonly name: string; readonly arguments: Record<string, unknown> },
  open: () => Promise<Transport>,
  close: () => Promise<void> = async () => {},
): Subject {
  const client = new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode: { pin: REVISION } } });
  return {
    name,
    does: `tool \`${tool.name}\``,
    setup: async () => client.connect(await open()),
    async once() {
      const { isError, structuredContent } = await client.callTool(tool);
      if (isError === true || structuredContent === undefined) throw new Error(`${tool.name} failed`);
    },
    async teardown() {
      await client.close();
      await close();
    },
  };
}

/**
 * Goal 10: a tool call that needs no peer against the SDK's own echo on the same transport. `echo` are the arguments of a
 * Node.js that calls `serveEcho`, but for the transport.
 */
export async function benchGateway(rounds: number, echo: readonly string[]) {
  const mesh = createTestMesh();
  try {
    const node = await mesh.add('alpha', { start: false });
    const port = await upWithHttp(node);
    const subjects = [...echoSubjects(echo), ...nodeSubjects(node, port)];
    return await measure({ goal: 10, subjects, comparisons: GOAL_10, rounds });
  } finally {
    await mesh.close();
  }
}

function nodeSubjects(node: MeshNode, port: number): readonly Subject[] {
  const whoami = { name: 'whoami', arguments: {} };
  const token = hostTokenOf(node.home);
  const args = [WRIT_PROGRAM, '--home', node.home, 'mcp', 'serve'];
  return [
    toolSubject('stdio', whoami, async () => new StdioClientTransport({ command: process.execPath, args })),
    toolSubject('http', whoami, async () => {
      const requestInit = { headers: { authorization: `Bearer ${token}` } };
      return new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), { requestInit });
    }),
  ];
}

function echoSubjects(echo: readonly string[]): readonly Subject[] {
  const tool = { name: 'echo', arguments: SAID };
  const command = process.execPath;
  let server: ChildProcess | undefined;
  return [
    toolSubject('stdio echo', tool, async () => new StdioClientTransport({ command, args: [...echo, 'stdio'] })),
    toolSubject(
      'http echo',
      tool,
      async () => {
        server = spawn(command, [...echo, 'http'], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
        const [{ port }] = (await once(server, 'message')) as [{ readonly port: number }];
        return new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`));
      },
      () => endChild(server),
    ),
  ];
}
