import { afterEach, describe, expect, it } from 'vitest';
import { methodPaths } from '../method-table.ts';
import { createNodeSet } from '../testing/node-set.ts';
import { ending, openRawClient } from '../testing/raw-client.ts';
import { submitFrom, type TestNode } from '../testing/test-node.ts';

const nodes = createNodeSet();
afterEach(() => nodes.closeAll());

const REDEEM = '/writ.mesh.v1.MeshService/Redeem';
const DESCRIBE = '/writ.mesh.v1.MeshService/Describe';

function raw(...args: Parameters<typeof openRawClient>) {
  const client = openRawClient(...args);
  nodes.closeLater(() => client.close());
  return client;
}

async function endsOf(node: TestNode, from: TestNode | undefined): Promise<Record<string, string>> {
  const client = raw(node, from?.identity);
  const ends: Record<string, string> = {};
  for (const path of methodPaths()) ends[path] = ending(await client.call(path));
  return ends;
}

/** A loaded machine takes its time. */
const WAIT = { timeout: 10_000 };

describe('a node that is not pinned', () => {
  it('is refused by every method while no invite is open, with and without a certificate', async () => {
    const [beta, stranger] = [
      await nodes.start('beta', { strangerRate: { perSecond: 1000, burst: 1000 } }),
      await nodes.start('gamma'),
    ];
    for (const from of [stranger, undefined]) {
      const ends = await endsOf(beta, from);
      expect(Object.keys(ends).length).toBeGreaterThan(10);
      expect(new Set(Object.values(ends))).toEqual(new Set(['UNAUTHENTICATED PEER_UNKNOWN']));
    }
  });

  it('reaches Redeem and nothing else while an invite is open', async () => {
    const [beta, stranger] = [
      await nodes.start('beta', { strangerRate: { perSecond: 1000, burst: 1000 } }),
      await nodes.start('gamma'),
    ];
    beta.openInvite = true;
    const { [REDEEM]: redeem, ...others } = await endsOf(beta, stranger);
    expect(redeem).toBe('OK none');
    expect(new Set(Object.values(others))).toEqual(new Set(['UNAUTHENTICATED PEER_UNKNOWN']));
  });

  it('is refused though its certificate is pinned, when the configuration does not name it', async () => {
    const [beta, stranger] = [await nodes.start('beta'), await nodes.start('gamma')];
    await beta.pins.put(stranger.identity.public);
    expect(ending(await raw(beta, stranger.identity).call(DESCRIBE))).toBe('UNAUTHENTICATED PEER_UNKNOWN');
  });

  it('is refused though the configuration names it, when its certificate is not pinned', async () => {
    const [beta, stranger] = [await nodes.start('beta'), await nodes.start('gamma')];
    await beta.configure([{ label: 'gamma', id: stranger.id }]);
    expect(ending(await raw(beta, stranger.identity).call(DESCRIBE))).toBe('UNAUTHENTICATED PEER_UNKNOWN');
  });

  it('is served over its open connection as soon as it is pinned and configured', async () => {
    const [beta, gamma] = [await nodes.start('beta'), await nodes.start('gamma')];
    const client = raw(beta, gamma.identity);
    expect(ending(await client.call(DESCRIBE))).toBe('UNAUTHENTICATED PEER_UNKNOWN');
    expect(beta.server.connections()).toBe(1);
    await beta.trust(gamma);
    expect(ending(await client.call(DESCRIBE))).toBe('OK none');
    expect(beta.server.connections()).toBe(1);
  });

  it('runs out of calls sooner than a peer', async () => {
    const [beta, stranger] = [
      await nodes.start('beta', { strangerRate: { perSecond: 0.001, burst: 2 } }),
      await nodes.start('gamma'),
    ];
    beta.openInvite = true;
    const client = raw(beta, stranger.identity);
    const ends: string[] = [];
    for (let i = 0; i < 3; i++) ends.push(ending(await client.call(REDEEM)));
    expect(ends).toEqual(['OK none', 'OK none', 'RESOURCE_EXHAUSTED RATE_LIMITED']);
  });
});

describe('a client that speaks TLS 1.2 at most', () => {
  it('gets no connection, and one of TLS 1.3 does', async () => {
    const { alpha, beta } = await nodes.pair();
    const old = await raw(beta, alpha.identity, { maxVersion: 'TLSv1.2' }).call(DESCRIBE);
    expect(ending(old)).toBe('UNAVAILABLE none');
    expect(old.details).toMatch(/protocol version/);
    expect(ending(await raw(beta, alpha.identity, { minVersion: 'TLSv1.3' }).call(DESCRIBE))).toBe('OK none');
  });
});

describe('a peer that loses its trust', () => {
  const ways: readonly (readonly [string, (beta: TestNode, alpha: TestNode) => Promise<unknown>])[] = [
    ['its pin is removed', (beta, alpha) => beta.pins.remove(alpha.id)],
    ['the configuration no longer names it', (beta) => beta.configure([])],
    [
      'it is disabled',
      (beta, alpha) => beta.configure([{ label: 'alpha', id: alpha.id }].map((peer) => ({ ...peer, enabled: false }))),
    ],
  ];

  it.each(ways)('loses its open stream and its connection when %s', async (_how, takeAway) => {
    // The call after the cut may have dialled again, as a stranger.
    const { alpha, beta } = await nodes.pair({ strangerIdleMs: 500 });
    const client = alpha.clients.client(beta.id);
    const submit = submitFrom(alpha, beta);
    await client.submit(submit);
    beta.executor.emit(submit.task, { kind: 'state', state: 'running' });
    const stream = client.watch(submit.task, 0, new AbortController().signal)[Symbol.asyncIterator]();
    await stream.next();
    expect(beta.executor.watching()).toBe(1);

    const ended = expect(stream.next()).rejects.toMatchObject({ code: 'TRUST_REVOKED' });
    await takeAway(beta, alpha);
    await ended;
    await expect.poll(() => beta.executor.watching(), WAIT).toBe(0);
    await expect(client.getTask(submit.task)).rejects.toMatchObject({ code: /^PEER_(UNKNOWN|DISABLED)$/ });
    await expect.poll(() => beta.server.connections(), WAIT).toBe(0);
  });

  it('is served nothing more over a connection that is still there', async () => {
    const { alpha, beta } = await nodes.pair({ revokedGraceMs: 60_000 });
    const client = raw(beta, alpha.identity);
    expect(ending(await client.call(DESCRIBE))).toBe('OK none');
    await beta.pins.remove(alpha.id);
    expect(ending(await client.call(DESCRIBE))).toBe('UNAUTHENTICATED PEER_UNKNOWN');
    expect(beta.server.connections()).toBe(1);
  });

  it('keeps what it has when another peer is removed', async () => {
    const { alpha, beta } = await nodes.pair();
    const gamma = await nodes.start('gamma');
    await beta.trust(gamma);
    const client = alpha.clients.client(beta.id);
    const submit = submitFrom(alpha, beta);
    await client.submit(submit);
    beta.executor.emit(submit.task, { kind: 'state', state: 'running' });
    const stream = client.watch(submit.task, 0, new AbortController().signal)[Symbol.asyncIterator]();
    await stream.next();
    await beta.distrust(gamma);
    beta.executor.emit(submit.task, { kind: 'state', state: 'queued' });
    expect((await stream.next()).value).toMatchObject({ event: { seq: 2 } });
    await stream.return?.();
  });
});
