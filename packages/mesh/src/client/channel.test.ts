import { connect, createServer, type Socket } from 'node:net';
import { createSystemClock, sha256Hex } from '@writ/core';
import { loadServices } from '@writ/wire';
import { afterEach, describe, expect, it } from 'vitest';
import { createNodeSet } from '../testing/node-set.ts';
import { submitFrom, type TestNode } from '../testing/test-node.ts';
import { callUnary } from './calls.ts';
import { openChannel } from './channel.ts';

const nodes = createNodeSet();
afterEach(() => nodes.closeAll());

/** Carries bytes to a node; the way there can be held up, as on a line so long that nothing comes back in time. */
async function openLongLine(to: TestNode) {
  const line = { address: '', bytesBack: 0, hold: () => {}, release: () => {} };
  const callers = new Set<Socket>();
  const server = createServer((caller) => {
    callers.add(caller);
    const node = connect(Number(to.address.split(':')[1]), '127.0.0.1');
    for (const [end, other] of [
      [caller, node],
      [node, caller],
    ] as const) {
      end.on('error', () => undefined);
      end.on('close', () => other.destroy());
      end.pipe(other);
    }
    node.on('data', ({ length }) => {
      line.bytesBack += length;
    });
    line.hold = () => void caller.unpipe(node).pause();
    line.release = () => void caller.pipe(node);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  nodes.closeLater(async () => {
    for (const caller of callers) caller.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const bound = server.address();
  line.address = `127.0.0.1:${typeof bound === 'object' ? bound?.port : 0}`;
  return line;
}

const MIB = 1024 * 1024;

describe('content over a long line', () => {
  it('comes on for megabytes while nothing that the receiver says arrives', async () => {
    const { alpha, beta } = await nodes.pair();
    const line = await openLongLine(beta);
    await alpha.trust(beta, { address: line.address });
    const client = alpha.clients.client(beta.id);
    await client.submit(submitFrom(alpha, beta, { task: 'task-1' }));
    const content = Buffer.alloc(12 * MIB, 'abcdefg');
    const sha256 = sha256Hex(content);
    beta.executor.contents.set(`task-1 ${sha256}`, content);
    let bytes = 0;
    const fetched = (async () => {
      for await (const piece of client.fetch('task-1', sha256, 0, new AbortController().signal)) {
        if (bytes === 0) line.hold();
        bytes += piece.length;
      }
    })();
    // Without a window of its own a stream stands still after 64 KiB.
    await expect.poll(() => line.bytesBack, { timeout: 10_000 }).toBeGreaterThan(7 * MIB);
    line.release();
    await fetched;
    expect(bytes).toBe(content.length);
  });
});

describe('a channel', () => {
  it('is only to the node whose id it was opened for, whatever its root has signed', async () => {
    const { alpha, beta } = await nodes.pair();
    const gamma = await nodes.start('gamma');
    const clock = createSystemClock();
    const describeOver = async (id: string): Promise<unknown> => {
      const { certificatePem } = beta.identity.public;
      const client = openChannel(alpha.identity, { id, certificatePem }, beta.address, { clock });
      nodes.closeLater(() => client.close());
      const peer = { label: 'beta', address: beta.address };
      const bounds = { deadlineMs: 10_000, signal: new AbortController().signal, clock, peer };
      return callUnary(client, loadServices().mesh.Describe, {}, bounds);
    };
    expect(await describeOver(beta.id)).toMatchObject({ id: beta.id });
    await expect(describeOver(gamma.id)).rejects.toThrow('another node answers there');
  });
});
