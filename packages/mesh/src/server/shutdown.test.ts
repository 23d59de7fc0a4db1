import { createServer } from 'node:net';
import { createSystemClock, silentLogger } from '@writ/core';
import { afterEach, describe, expect, it } from 'vitest';
import { createNodeSet } from '../testing/node-set.ts';
import { openRawClient } from '../testing/raw-client.ts';
import { submitFrom } from '../testing/test-node.ts';
import { createMeshServer } from './mesh-server.ts';

const nodes = createNodeSet();
afterEach(() => nodes.closeAll());

/** A loaded machine takes its time. */
const WAIT = { timeout: 10_000 };

describe('closing', () => {
  it('ends streams at once with a reason, lets an answer finish, and leaves no connection', async () => {
    const { alpha, beta } = await nodes.pair();
    const client = alpha.clients.client(beta.id);
    const submit = submitFrom(alpha, beta);
    await client.submit(submit);
    beta.executor.emit(submit.task, { kind: 'state', state: 'running' });
    const stream = client.watch(submit.task, 0, new AbortController().signal)[Symbol.asyncIterator]();
    await stream.next();

    let answer = (): void => {};
    let asked = (): void => {};
    const underWay = new Promise<void>((resolve) => {
      asked = resolve;
    });
    beta.executor.readTranscript = async () => {
      asked();
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return { data: Buffer.from('late'), next: 4, end: true };
    };
    const page = client.readTranscript(submit.task, 0, 10);
    await underWay;
    const ended = expect(stream.next()).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
    const closed = beta.server.close(10_000);
    await ended;
    answer();
    expect((await page).data.toString()).toBe('late');
    await closed;
    expect(beta.server.connections()).toBe(0);
    await expect(client.describe()).rejects.toMatchObject({ code: 'UNREACHABLE' });
  });

  it('does not wait longer than it was told to', async () => {
    const { alpha, beta } = await nodes.pair();
    const submit = submitFrom(alpha, beta);
    beta.executor.submit = () => new Promise(() => {});
    const hanging = expect(alpha.clients.client(beta.id).submit(submit)).rejects.toMatchObject({ code: 'UNREACHABLE' });
    await expect.poll(() => beta.server.connections(), WAIT).toBe(1);
    await beta.server.close(50);
    await hanging;
    expect(beta.server.connections()).toBe(0);
  });
});

describe('listening', () => {
  it('says that the port is taken', async () => {
    const beta = await nodes.start('beta');
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    nodes.closeLater(() => new Promise((resolve) => holder.close(() => resolve())));
    const bound = holder.address();
    const address = typeof bound === 'object' ? `127.0.0.1:${bound?.port}` : '';
    const second = createMeshServer({
      ...beta,
      pairing: { hasOpenInvite: () => false, serve: beta.serve },
      checkPolicy: () => {
        throw new Error('not asked');
      },
      endSession: () => {},
      noteRefusal: () => {},
      requestLease: () => {
        throw new Error('not asked');
      },
      version: '0',
      clock: createSystemClock(),
      logger: silentLogger,
    });
    await expect(second.listen(address)).rejects.toMatchObject({ code: 'PORT_IN_USE' });
    await expect(second.listen('no address')).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    await second.close(0);
  });
});

describe('rotation', () => {
  it('gives new connections the new keys and keeps the old ones', async () => {
    const { alpha, beta } = await nodes.pair();
    const client = alpha.clients.client(beta.id);
    const submit = submitFrom(alpha, beta);
    await client.submit(submit);
    beta.executor.emit(submit.task, { kind: 'state', state: 'running' });
    const stream = client.watch(submit.task, 0, new AbortController().signal)[Symbol.asyncIterator]();
    await stream.next();

    await alpha.identity.rotate();
    await beta.identity.rotate();
    const raw = openRawClient(beta, alpha.identity);
    nodes.closeLater(() => raw.close());
    expect((await raw.call('/writ.mesh.v1.MeshService/Describe')).code).toBe(0);
    expect((await client.describe()).id).toBe(beta.id);
    // The stream that was open goes on over its own connection.
    beta.executor.emit(submit.task, { kind: 'state', state: 'queued' });
    expect((await stream.next()).value).toMatchObject({ event: { seq: 2 } });
    await stream.return?.();
  });
});

describe('health', () => {
  it('is told to peers in the standard way', async () => {
    const { alpha, beta } = await nodes.pair();
    const raw = openRawClient(beta, alpha.identity);
    nodes.closeLater(() => raw.close());
    expect((await raw.call('/grpc.health.v1.Health/Check')).code).toBe(0);
    expect((await raw.call('/grpc.health.v1.Health/Check', Buffer.from('\n\x01x'))).code).toBe(5);
    expect((await raw.call('/grpc.reflection.v1.ServerReflection/ServerReflectionInfo')).code).toBe(12);
  });
});
