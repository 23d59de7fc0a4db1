import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createNodeSet } from '../testing/node-set.ts';
import { startTestNode, submitFrom, type TestNode } from '../testing/test-node.ts';

const nodes = createNodeSet();
afterEach(() => nodes.closeAll());

/** A TCP server that does this with every connection. */
async function startTcp(handle: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    handle(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  nodes.closeLater(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const bound = server.address();
  return `127.0.0.1:${typeof bound === 'object' ? bound?.port : 0}`;
}

/** A loaded machine takes its time. */
const WAIT = { timeout: 10_000 };

describe('finding a peer', () => {
  it('takes a label or an id in any letter case, and only of a pinned and configured node', async () => {
    const { alpha, beta } = await nodes.pair();
    const gamma = await nodes.start('gamma');
    for (const name of ['beta', 'BETA', beta.id, beta.id.toUpperCase()]) {
      expect(alpha.clients.find(name)).toEqual({ id: beta.id, label: 'beta' });
    }
    for (const name of ['gamma', gamma.id, '', 'wn-', '../beta']) expect(alpha.clients.find(name)).toBeUndefined();
    await alpha.pins.remove(beta.id);
    expect(alpha.clients.find('beta')).toBeUndefined();
    expect(() => alpha.clients.client(beta.id)).toThrow(expect.objectContaining({ code: 'PEER_UNKNOWN' }));
  });

  it('says UNREACHABLE at once where the peer has no address', async () => {
    const { alpha, beta } = await nodes.pair();
    await alpha.configure([{ label: 'beta', id: beta.id }]);
    expect(() => alpha.clients.client(beta.id)).toThrow(expect.objectContaining({ code: 'UNREACHABLE' }));
    expect(alpha.clients.links()).toEqual([{ id: beta.id, label: 'beta', state: 'no-address' }]);
  });
});

describe('many calls at once', () => {
  it('are no leak of listeners', async () => {
    const { alpha, beta } = await nodes.pair();
    const warnings: string[] = [];
    const warn = (warning: Error): void => void warnings.push(warning.name);
    process.on('warning', warn);
    const client = alpha.clients.client(beta.id);
    await Promise.all(Array.from({ length: 20 }, () => client.describe()));
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', warn);
    expect(warnings).toEqual([]);
  });
});

describe('a peer that is down', () => {
  it('is UNREACHABLE with its address and the reason, and up again when it is back', async () => {
    const { alpha, beta } = await nodes.pair();
    const client = alpha.clients.client(beta.id);
    await client.describe();
    expect(alpha.clients.links()).toMatchObject([{ label: 'beta', address: beta.address, state: 'up' }]);
    await beta.server.close(0);
    await expect(client.describe()).rejects.toMatchObject({
      code: 'UNREACHABLE',
      message: `\`beta\` cannot be reached at \`${beta.address}\`: nothing listens there`,
      details: { peer: 'beta', address: beta.address },
    });
    expect(alpha.clients.links()).toMatchObject([{ state: 'down', lastError: { code: 'UNREACHABLE' } }]);
    const again = await startTestNode('beta', {}, { at: beta });
    nodes.closeLater(() => again.close());
    await expect
      .poll(
        () =>
          client
            .describe()
            .then(() => 'up')
            .catch(() => 'down'),
        { timeout: 10_000 },
      )
      .toBe('up');
    expect(alpha.clients.links()).toMatchObject([{ state: 'up' }]);
  });

  it('is not dialled anew for every call', async () => {
    const { alpha, beta } = await nodes.pair();
    let dialled = 0;
    const address = await startTcp((socket) => {
      dialled += 1;
      socket.destroy();
    });
    await alpha.configure([{ label: 'beta', id: beta.id, address }]);
    const client = alpha.clients.client(beta.id);
    for (let i = 0; i < 100; i++) await expect(client.describe()).rejects.toMatchObject({ code: 'UNREACHABLE' });
    expect(dialled).toBeLessThan(50);
  });

  it('is followed to another address without a restart', async () => {
    const { alpha, beta } = await nodes.pair();
    await alpha.configure([{ label: 'beta', id: beta.id, address: '127.0.0.1:1' }]);
    const client = alpha.clients.client(beta.id);
    await expect(client.describe()).rejects.toMatchObject({ code: 'UNREACHABLE' });
    await alpha.configure([{ label: 'beta', id: beta.id, address: beta.address }]);
    expect((await client.describe()).id).toBe(beta.id);
  });
});

describe('another node at the address of a peer', () => {
  it('is not spoken to, though it is a peer too', async () => {
    const { alpha, beta } = await nodes.pair();
    const gamma = await nodes.start('gamma');
    await alpha.trust(gamma);
    await gamma.trust(alpha);
    await alpha.configure([
      { label: 'beta', id: beta.id, address: gamma.address },
      { label: 'gamma', id: gamma.id, address: gamma.address },
    ]);
    await expect(alpha.clients.client(beta.id).submit(submitFrom(alpha, beta))).rejects.toMatchObject({
      code: 'UNREACHABLE',
    });
    expect(gamma.executor.submitted).toEqual([]);
    expect((await alpha.clients.client(gamma.id).describe()).id).toBe(gamma.id);
  });

  it('is UNREACHABLE where it answers with garbage, or hangs up', async () => {
    const { alpha, beta } = await nodes.pair();
    for (const handle of [
      (socket: Socket) => socket.end('HTTP/1.1 400 no\r\n\r\n'),
      (socket: Socket) => socket.destroy(),
    ]) {
      await alpha.configure([{ label: 'beta', id: beta.id, address: await startTcp(handle) }]);
      await expect(alpha.clients.client(beta.id).describe()).rejects.toMatchObject({ code: 'UNREACHABLE' });
    }
  });
});

describe('a peer that answers nothing', () => {
  it('is UNREACHABLE when the deadline has passed, for a call and for a stream', async () => {
    const alpha = await startTestNode('alpha', {}, { timersOnDemand: true });
    nodes.closeLater(() => alpha.close());
    const beta = await nodes.start('beta');
    const address = await startTcp(() => undefined);
    await alpha.trust(beta, { address });
    const client = alpha.clients.client(beta.id);
    const call = client.describe();
    const next = client.watch('task-1', 0, new AbortController().signal)[Symbol.asyncIterator]().next();
    const both = Promise.all(
      [call, next].map((one) =>
        expect(one).rejects.toMatchObject({ code: 'UNREACHABLE', message: expect.stringContaining('10000 ms') }),
      ),
    );
    await expect.poll(() => alpha.timers.filter(({ delayMs }) => delayMs === 10_000), WAIT).toHaveLength(2);
    for (const timer of alpha.timers) timer.fire();
    await both;
  });
});

describe('a peer that breaks the protocol', () => {
  async function answering(event: (beta: TestNode) => void) {
    const { alpha, beta } = await nodes.pair();
    const client = alpha.clients.client(beta.id);
    await client.submit(submitFrom(alpha, beta, { task: 'task-1' }));
    event(beta);
    return client.watch('task-1', 0, new AbortController().signal)[Symbol.asyncIterator]().next();
  }

  it('is told from one that is down: a gap in the events', async () => {
    await expect(
      answering((beta) => {
        beta.executor.watch = async function* () {
          yield { event: { seq: 2, atMs: 1, epoch: 1, kind: 'state', state: 'running' } };
        };
      }),
    ).rejects.toMatchObject({ code: 'INTERNAL', message: expect.stringContaining('garbage') });
  });

  it('is told from one that is down: an outcome that is no end', async () => {
    await expect(
      answering((beta) => {
        const outcome = {
          state: 'running',
          message: '',
          truncated: false,
          stdoutBytes: 0,
          stderrBytes: 0,
          endedAtMs: 0,
        };
        beta.executor.watch = async function* () {
          yield { event: { seq: 1, atMs: 1, epoch: 1, kind: 'outcome', outcome: outcome as never } };
        };
      }),
    ).rejects.toMatchObject({ code: 'INTERNAL', message: expect.stringContaining('garbage') });
  });
});

describe('a peer that this node no longer trusts', () => {
  it('loses the stream that this node had open there, and is not dialled again', async () => {
    const { alpha, beta } = await nodes.pair();
    const client = alpha.clients.client(beta.id);
    const submit = submitFrom(alpha, beta);
    await client.submit(submit);
    beta.executor.emit(submit.task, { kind: 'state', state: 'running' });
    const stream = client.watch(submit.task, 0, new AbortController().signal)[Symbol.asyncIterator]();
    await stream.next();
    const ended = expect(stream.next()).rejects.toMatchObject({ code: 'TRUST_REVOKED' });
    await alpha.distrust(beta);
    await ended;
    await expect(client.describe()).rejects.toMatchObject({ code: 'PEER_UNKNOWN' });
    await expect.poll(() => beta.server.connections(), WAIT).toBe(0);
  });

  it('is told for a moment what it shall end, and nothing else', async () => {
    const { alpha, beta } = await nodes.pair();
    const client = alpha.clients.client(beta.id);
    const [first, second, third] = [submitFrom(alpha, beta), submitFrom(alpha, beta), submitFrom(alpha, beta)];
    for (const submit of [first, second, third]) await client.submit(submit);
    await alpha.distrust(beta);
    const former = alpha.clients.client(beta.id);
    expect(await former.cancel(first.task)).toBeUndefined();
    expect(beta.executor.get(first.task)?.state).toBe('cancelled');
    const others = [former.describe(), former.submit(second), former.readTranscript(second.task, 0, 1)];
    for (const call of await Promise.allSettled(others)) {
      expect(call).toMatchObject({ reason: { code: 'PEER_UNKNOWN' } });
    }
    await alpha.trust(beta);
    expect((await alpha.clients.client(beta.id).cancel(second.task))?.code).toBe('CANCELLED');
    await alpha.configure([{ label: 'beta', id: beta.id, address: beta.address, enabled: false }]);
    expect(await client.cancel(third.task)).toBeUndefined();
    await expect.poll(() => beta.server.connections(), WAIT).toBe(0);
    await expect(client.cancel(third.task)).rejects.toMatchObject({ code: 'PEER_DISABLED' });
  });

  it('is not dialled to be told anything', async () => {
    const { alpha, beta } = await nodes.pair();
    const client = alpha.clients.client(beta.id);
    await client.describe();
    await beta.server.close(0);
    await expect.poll(() => alpha.clients.links()[0]?.state, WAIT).not.toBe('up');
    await alpha.distrust(beta);
    expect(() => alpha.clients.client(beta.id)).toThrow(expect.objectContaining({ code: 'PEER_UNKNOWN' }));
    await expect(client.cancel('task')).rejects.toMatchObject({ code: 'PEER_UNKNOWN' });
  });
});
