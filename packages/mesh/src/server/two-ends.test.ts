import { status } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from 'vitest';
import { createNodeSet } from '../testing/node-set.ts';
import { startTestNode } from '../testing/test-node.ts';
import { openWire } from '../testing/wire-call.ts';
import { connectionKey } from './connections.ts';

const nodes = createNodeSet();
afterEach(() => nodes.closeAll());

const DESCRIBE = '/writ.mesh.v1.MeshService/Describe';

/** A node on every address of the machine, a peer of it, and a stranger. */
async function startThree() {
  const beta = await startTestNode('beta', {}, { listen: '0.0.0.0:0' });
  nodes.closeLater(() => beta.close());
  const [alpha, stranger] = [await nodes.start('alpha'), await nodes.start('gamma')];
  await beta.trust(alpha);
  return { alpha, beta, stranger };
}

describe('two connections from one port, to two addresses of a node', () => {
  it('are two callers: the one without trust is not served as the other', async () => {
    const { alpha, beta, stranger } = await startThree();
    const first = await openWire(beta, stranger.identity, { host: '127.0.0.1' });
    const second = await openWire(beta, alpha.identity, { host: '127.0.0.2', localPort: first.localPort });
    expect(second.localPort).toBe(first.localPort);
    expect(await second.call(DESCRIBE)).toBe(status.OK);
    expect(await first.call(DESCRIBE)).toBe(status.UNAUTHENTICATED);
    await Promise.all([first.close(), second.close()]);
  });

  it('end one by one: what is left of them is still known', async () => {
    const { alpha, beta, stranger } = await startThree();
    const first = await openWire(beta, alpha.identity, { host: '127.0.0.1' });
    const second = await openWire(beta, stranger.identity, { host: '127.0.0.2', localPort: first.localPort });
    expect(await second.call(DESCRIBE)).toBe(status.UNAUTHENTICATED);
    expect(beta.server.connections()).toBe(2);
    await second.close();
    await expect.poll(() => beta.server.connections()).toBe(1);
    expect(await first.call(DESCRIBE)).toBe(status.OK);
    await first.close();
  });
});

describe('connectionKey', () => {
  const ends = { localAddress: '10.0.0.1', localPort: 7420, remoteAddress: '10.0.0.2', remotePort: 4000 };

  it('differs with each part of both ends', () => {
    const changed = [{ localAddress: '10.0.0.9' }, { localPort: 1 }, { remoteAddress: '10.0.0.9' }, { remotePort: 1 }];
    const keys = [ends, ...changed.map((change) => ({ ...ends, ...change }))].map(connectionKey);
    expect(new Set(keys).size).toBe(5);
  });

  it('is none where a part is unknown, so that such a call is refused', () => {
    for (const part of Object.keys(ends)) expect(connectionKey({ ...ends, [part]: undefined }), part).toBe(undefined);
  });
});
