import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createNodeSet } from '../testing/node-set.ts';
import { ending, openRawClient } from '../testing/raw-client.ts';
import type { TestNode } from '../testing/test-node.ts';

const nodes = createNodeSet();
afterEach(() => nodes.closeAll());

const REDEEM = '/writ.mesh.v1.MeshService/Redeem';
const DESCRIBE = '/writ.mesh.v1.MeshService/Describe';

/** Connections that say nothing, from one address. */
async function hang(to: TestNode, count: number, localAddress = '127.0.0.1'): Promise<readonly Socket[]> {
  const port = Number(to.address.split(':')[1]);
  const sockets = Array.from({ length: count }, () => connect({ host: '127.0.0.1', port, localAddress }));
  nodes.closeLater(() => {
    for (const socket of sockets) socket.destroy();
  });
  await Promise.all(
    sockets.map((socket) => {
      socket.on('error', () => undefined);
      return new Promise((resolve) => socket.once('connect', resolve));
    }),
  );
  return sockets;
}

describe('connections that never finish their handshake', () => {
  it('do not keep a peer out, whether they come from its address or from others', async () => {
    const { alpha, beta } = await nodes.pair({ maxConnections: 8, maxConnectionsPerAddress: 4, maxUnproven: 6 });
    await hang(beta, 20);
    for (const address of ['127.0.0.2', '127.0.0.3', '127.0.0.4']) await hang(beta, 4, address);
    expect((await alpha.clients.client(beta.id).describe()).id).toBe(beta.id);
  });

  it('do not cost a peer the connection that it has', async () => {
    const { alpha, beta } = await nodes.pair({ maxConnections: 5, maxConnectionsPerAddress: 4, maxUnproven: 2 });
    const client = openRawClient(beta, alpha.identity);
    nodes.closeLater(() => client.close());
    const { end, first } = client.hold('/grpc.health.v1.Health/Watch');
    await first;
    await hang(beta, 20);
    await hang(beta, 20, '127.0.0.2');
    const state = await Promise.race([end.then(ending), client.call(DESCRIBE).then(ending)]);
    expect(state).toBe('OK none');
  });

  it('of one address are bounded by number before they have proved anything', async () => {
    const beta = await nodes.start('beta', { maxConnectionsPerAddress: 4 });
    const sockets = await hang(beta, 10);
    await expect.poll(() => sockets.filter(({ closed }) => closed).length, { timeout: 10_000 }).toBe(6);
  });
});

describe('a stranger whose calls are refused', () => {
  it('runs out of them too', async () => {
    const beta = await nodes.start('beta', { knockRate: { perSecond: 0.001, burst: 2 } });
    const client = openRawClient(beta);
    nodes.closeLater(() => client.close());
    const ends: string[] = [];
    for (let i = 0; i < 3; i++) ends.push(ending(await client.call(DESCRIBE)));
    const unknown = 'UNAUTHENTICATED PEER_UNKNOWN';
    expect(ends).toEqual([unknown, unknown, 'RESOURCE_EXHAUSTED RATE_LIMITED']);
  });

  it('is asked for its rate before it is looked whether an invite is open', async () => {
    const beta = await nodes.start('beta', { strangerRate: { perSecond: 0.001, burst: 1 } });
    let asked = 0;
    Object.defineProperty(beta, 'openInvite', {
      get() {
        asked += 1;
        return false;
      },
    });
    const client = openRawClient(beta);
    nodes.closeLater(() => client.close());
    expect(ending(await client.call(REDEEM))).toBe('UNAUTHENTICATED PEER_UNKNOWN');
    expect(ending(await client.call(REDEEM))).toBe('RESOURCE_EXHAUSTED RATE_LIMITED');
    expect(asked).toBe(1);
  });
});
