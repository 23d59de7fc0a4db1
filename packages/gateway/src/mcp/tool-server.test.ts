import { type Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { silentLogger } from '@writ/core';
import { afterEach, expect, it } from 'vitest';
import { createDispatcher } from '../dispatch.ts';
import { createRegistry } from '../registry.ts';
import { createFakeNode } from '../testing/fake-node.ts';
import { mcpClient } from '../testing/mcp-clients.ts';
import type { Toolset } from '../types.ts';
import { createToolServer } from './tool-server.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** A client, and how an upstream server that was late comes up. */
async function connect(toolsets: readonly Toolset[]) {
  const { ports, clock } = createFakeNode();
  const registry = createRegistry([]);
  const late: (() => void)[] = [];
  const server = createToolServer(
    {
      ...{ registry, dispatcher: createDispatcher(registry, ports.scope), clock, logger: silentLogger },
      ...{ sessions: ports.sessions, node: ports.node },
      follow: async function* () {},
      upstreams: {
        offered: async (_, onLater) => {
          late.push(onLater);
          return [];
        },
        owns: () => false,
        call: () => Promise.reject(),
        close: async () => {},
      },
    },
    { caller: { kind: 'host' }, toolsets, withSession: () => ({ kind: 'host' }) },
  );
  const client: Client = mcpClient('2025-11-25');
  const [here, there] = InMemoryTransport.createLinkedPair();
  await server.connect(there);
  await client.connect(here);
  ends.push(() => client.close());
  return { client, late };
}

it('tells a client of tools that came after it had listed them', async () => {
  const { client, late } = await connect(['upstreams']);
  expect(client.getServerCapabilities()?.tools).toEqual({ listChanged: true });
  const told = new Promise<void>((resolve) => {
    client.setNotificationHandler('notifications/tools/list_changed', () => resolve());
  });
  await client.listTools();
  late[0]?.();
  await told;
});

it('promises no such word to a client without tools of other servers', async () => {
  const { client, late } = await connect([]);
  expect(client.getServerCapabilities()?.tools).toEqual({ listChanged: false });
  await client.listTools();
  expect(late).toEqual([]);
});
