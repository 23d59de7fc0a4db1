import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Metadata } from '@grpc/grpc-js';
import { loadServices } from '@writ/wire';
import { afterEach, describe, expect, it } from 'vitest';
import { createNodeSet } from '../testing/node-set.ts';
import { ending, openRawClient } from '../testing/raw-client.ts';
import type { TestNode } from '../testing/test-node.ts';

const nodes = createNodeSet();
afterEach(() => nodes.closeAll());

const SERVICE = '/writ.mesh.v1.MeshService';
/** All but the one that a peer has no use for. */
const METHODS = Object.keys(loadServices().mesh).filter((name) => name !== 'Redeem');

function raw(...args: Parameters<typeof openRawClient>) {
  const client = openRawClient(...args);
  nodes.closeLater(() => client.close());
  return client;
}

/** The server answers a peer that behaves. */
async function expectAlive(alpha: TestNode, beta: TestNode): Promise<void> {
  expect((await alpha.clients.client(beta.id).describe()).id).toBe(beta.id);
}

/** Sends bytes over TCP, or inside TLS, and waits until the other end hangs up. */
async function sendBytes(to: TestNode, bytes: Uint8Array, secure: boolean): Promise<void> {
  const target = { host: '127.0.0.1', port: Number(to.address.split(':')[1]) };
  const socket = secure
    ? connectTls({
        ...target,
        ca: to.identity.public.certificatePem,
        ALPNProtocols: ['h2'],
        checkServerIdentity: () => undefined,
      })
    : connectTcp(target);
  await new Promise<void>((resolve) => {
    socket.on('error', () => undefined);
    socket.on('close', () => resolve());
    socket.on('data', () => undefined);
    socket.write(bytes);
  });
}

/** A loaded machine takes its time. */
const WAIT = { timeout: 10_000 };

describe('bytes that are no call', () => {
  it('cost the connection and nothing else', async () => {
    const { alpha, beta } = await nodes.pair();
    const garbage = Buffer.from('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(50));
    await sendBytes(beta, garbage, false);
    await sendBytes(beta, garbage, true);
    await expectAlive(alpha, beta);
  });

  it('are BAD_REQUEST where they are no message, over every method', async () => {
    const { alpha, beta } = await nodes.pair();
    const client = raw(beta, alpha.identity);
    const garbage = Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f, 1, 2, 3]);
    for (const method of METHODS) {
      const end = ending(await client.call(`${SERVICE}/${method}`, garbage));
      // A message without fields is read to its end, whatever it holds.
      expect(end, method).toBe('INVALID_ARGUMENT BAD_REQUEST');
    }
    beta.openInvite = true;
    beta.serve = async function* (messages) {
      for await (const _ of messages) yield { step: 'pending', mac: new Uint8Array() };
    };
    expect(ending(await client.call(`${SERVICE}/Redeem`, garbage))).toBe('INVALID_ARGUMENT BAD_REQUEST');
    await expectAlive(alpha, beta);
  });

  it('are refused where they are too many', async () => {
    const { alpha, beta } = await nodes.pair({ maxRequestBytes: 10_000 });
    const client = raw(beta, alpha.identity);
    const end = await client.call(`${SERVICE}/Submit`, Buffer.alloc(10_001));
    expect(ending(end)).toBe('RESOURCE_EXHAUSTED none');
    await expectAlive(alpha, beta);
  });
});

describe('metadata', () => {
  it('is refused where it is large, and where it is huge', async () => {
    const { alpha, beta } = await nodes.pair({ maxMetadataBytes: 4_000 });
    const metadata = new Metadata();
    metadata.set('x-large', 'x'.repeat(5_000));
    const client = raw(beta, alpha.identity);
    expect(ending(await client.call(`${SERVICE}/Describe`, undefined, metadata))).toBe('INVALID_ARGUMENT BAD_REQUEST');
    metadata.set('x-large', 'x'.repeat(200_000));
    expect(ending(await client.call(`${SERVICE}/Describe`, undefined, metadata))).not.toMatch(/^OK/);
    await expectAlive(alpha, beta);
  });

  it('makes nobody another peer', async () => {
    const { alpha, beta } = await nodes.pair();
    const gamma = await nodes.start('gamma');
    const metadata = new Metadata();
    for (const name of ['x-writ-peer', 'writ-peer', 'peer', 'authorization']) metadata.set(name, alpha.id);
    const end = await raw(beta, gamma.identity).call(`${SERVICE}/Describe`, undefined, metadata);
    expect(ending(end)).toBe('UNAUTHENTICATED PEER_UNKNOWN');
  });
});

describe('a peer that calls too much', () => {
  it('is told so, and another peer is not', async () => {
    const { alpha, beta } = await nodes.pair({ peerRate: { perSecond: 0.001, burst: 3 } });
    const gamma = await nodes.start('gamma');
    await gamma.trust(beta);
    await beta.trust(gamma);
    const client = alpha.clients.client(beta.id);
    for (let i = 0; i < 3; i++) await client.describe();
    await expect(client.describe()).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await expectAlive(gamma, beta);
  });
});

describe('a peer that keeps too many calls of one kind open', () => {
  it('is told so, and may open another when one has ended', async () => {
    const { alpha, beta } = await nodes.pair();
    const client = raw(beta, alpha.identity);
    const path = '/grpc.health.v1.Health/Watch';
    const held = Array.from({ length: 4 }, () => client.hold(path));
    await Promise.all(held.map(({ first }) => first));
    expect(ending(await client.hold(path).end)).toBe('RESOURCE_EXHAUSTED RATE_LIMITED');
    held[0]?.cancel();
    const another = (): Promise<string> => {
      const { first, end } = client.hold(path);
      return Promise.race([first.then(() => 'open'), end.then(ending)]);
    };
    await expect.poll(another, WAIT).toBe('open');
  });
});

describe('connections', () => {
  it('of one address are limited', async () => {
    const { alpha, beta } = await nodes.pair({ maxConnectionsPerAddress: 2 });
    const ends: string[] = [];
    for (let i = 0; i < 3; i++) ends.push(ending(await raw(beta, alpha.identity).call(`${SERVICE}/Describe`)));
    expect(ends).toEqual(['OK none', 'OK none', 'UNAVAILABLE none']);
  });

  it('that prove nothing are dropped', async () => {
    const { alpha, beta } = await nodes.pair({ strangerIdleMs: 200 });
    await sendBytes(beta, Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), true);
    await expect.poll(() => beta.server.connections(), WAIT).toBe(0);
    await expectAlive(alpha, beta);
  });

  it('that never finish their handshake are dropped', async () => {
    const { alpha, beta } = await nodes.pair({ handshakeMs: 200 });
    await sendBytes(beta, Buffer.from([0x16]), false);
    await expectAlive(alpha, beta);
  });
});

describe('a call whose request never comes', () => {
  it('ends', async () => {
    const { alpha, beta } = await nodes.pair({ requestMs: 100 });
    const client = raw(beta, alpha.identity);
    expect(ending(await client.open(`${SERVICE}/Describe`))).toBe('DEADLINE_EXCEEDED TIMED_OUT');
    await expectAlive(alpha, beta);
  });
});
