import { type Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { createListeners, silentLogger } from '@writ/core';
import { afterEach, expect, it } from 'vitest';
import { createDispatcher } from '../dispatch.ts';
import { createEntrances } from '../entrance.ts';
import { createRegistry } from '../registry.ts';
import { createFakeNode } from '../testing/fake-node.ts';
import { mcpClient } from '../testing/mcp-clients.ts';
import type { Toolset } from '../types.ts';
import type { McpParts } from './mcp-parts.ts';
import { createToolDefinitions } from './tool-definitions.ts';
import { createToolServer, tellOfForeignTools } from './tool-server.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** A client, and how the tools of an upstream server become others. */
async function connect(toolsets: readonly Toolset[]) {
  const { ports, clock } = createFakeNode();
  const registry = createRegistry([]);
  const changes = createListeners<void>(silentLogger, 'tools');
  let listed = 0;
  const parts: McpParts = {
    ...{ definitions: createToolDefinitions(registry), enter: createEntrances() },
    ...{ registry, dispatcher: createDispatcher(registry, ports.scope), clock, logger: silentLogger },
    ...{ sessions: ports.sessions, node: ports.node },
    follow: async function* () {},
    upstreams: {
      offered: async () => {
        listed += 1;
        return [];
      },
      onChange: changes.add,
      problems: () => [],
      owns: () => false,
      call: () => Promise.reject(),
      close: async () => {},
    },
  };
  const server = createToolServer(parts, { caller: { kind: 'host' }, toolsets, withSession: () => ({ kind: 'host' }) });
  const stopTelling = tellOfForeignTools(server, parts, { toolsets });
  const client: Client = mcpClient('2025-11-25');
  const [here, there] = InMemoryTransport.createLinkedPair();
  await server.connect(there);
  await client.connect(here);
  ends.push(async () => {
    stopTelling();
    await client.close();
  });
  return { client, change: () => changes.tell(), listed: () => listed };
}

it('tells a client of tools that came after it had listed them', async () => {
  const { client, change } = await connect(['upstreams']);
  expect(client.getServerCapabilities()?.tools).toEqual({ listChanged: true });
  const told = new Promise<void>((resolve) => {
    client.setNotificationHandler('notifications/tools/list_changed', () => resolve());
  });
  await client.listTools();
  change();
  await told;
});

it('promises no such word to a client without tools of other servers', async () => {
  const { client, listed } = await connect([]);
  expect(client.getServerCapabilities()?.tools).toEqual({ listChanged: false });
  await client.listTools();
  expect(listed()).toBe(0);
});
