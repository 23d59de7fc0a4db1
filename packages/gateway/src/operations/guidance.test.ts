import type { Lease } from '@writ/authority';
import { WritError } from '@writ/core';
import { describe, expect, it } from 'vitest';
import { createDispatcher } from '../dispatch.ts';
import { createGateway } from '../gateway.ts';
import type { GatewayPorts } from '../gateway-ports.ts';
import { BETA_ID } from '../testing/fake-config.ts';
import { createFakeNode } from '../testing/fake-node.ts';
import type { Caller } from '../types.ts';

const agent: Caller = { kind: 'host', session: { origin: 'wn-alpha', id: 's-1', agent: 'codex' } };
const task: Caller = { kind: 'task', task: 't-root', session: { origin: BETA_ID, id: 's-9', agent: 'other' } };

function createWorld(changes: Partial<GatewayPorts> = {}) {
  const node = createFakeNode();
  const ports = { ...node.ports, ...changes };
  const dispatcher = createDispatcher(createGateway(ports).registry, ports.scope);
  const call = async (name: string, input: unknown = {}, caller: Caller = agent): Promise<unknown> => {
    const prepared = dispatcher.prepare(name, input, caller);
    if (prepared.form === 'stream') throw new Error('a stream');
    return prepared.run({ caller, signal: new AbortController().signal });
  };
  return { ...node, call };
}

const away = async (): Promise<never> => {
  throw new WritError('UNREACHABLE', 'beta does not answer', { nextSteps: ['start it'] });
};

describe('check_policy', () => {
  it('asks the peer itself where the wish may leave this node', async () => {
    const { call } = createWorld();
    expect(await call('check_policy', { to: 'Beta', profile: 'query' })).toMatchObject({ by: 'peer', effect: 'allow' });
    expect(await call('check_policy', { to: 'beta', profile: 'REPO-DEV' })).toMatchObject({
      ...{
        to: 'beta',
        by: 'peer',
        effect: 'deny',
        code: 'LEASE_REQUIRED',
        next_steps: [expect.stringContaining('request_lease'), 'ask a person at beta'],
        generation: 3,
      },
    });
  });

  it('says that the peer was not asked where it does not answer', async () => {
    const { call } = createWorld({ describe: { describe: away, check: away } });
    expect(await call('check_policy', { to: 'beta', profile: 'query' })).toMatchObject({
      ...{ by: 'here', effect: 'allow', not_asked: 'beta does not answer' },
    });
  });

  it('decides alone what would run on this node, and what may not leave it', async () => {
    const { call, ports } = createWorld({ describe: { describe: away, check: away } });
    expect(await call('check_policy')).toMatchObject({ to: 'self', by: 'here', code: 'LEASE_REQUIRED' });
    const refused = { ...ports.engine.decide({} as never), code: 'PEER_UNKNOWN' as const };
    const other = createWorld({ engine: { ...ports.engine, decideOutbound: () => refused } });
    expect(await other.call('check_policy', { to: 'nobody' })).toMatchObject({ by: 'here', code: 'PEER_UNKNOWN' });
  });
});

describe('explain_decision', () => {
  it('shows the rules of this node, whoever would run it', async () => {
    const { call } = createWorld();
    expect(await call('explain_decision', { profile: 'repo-dev' })).toMatchObject({
      ...{ direction: 'incoming', subject: 'self', trace: [{ rule: 'lease', line: 9 }] },
    });
    expect(await call('explain_decision', { to: 'beta' })).toMatchObject({ direction: 'outgoing', subject: 'beta' });
  });
});

describe('the other nodes', () => {
  it('are described with what each profile needs and what may be named', async () => {
    const { call } = createWorld();
    expect(await call('describe_peer', { peer: BETA_ID })).toMatchObject({
      ...{ label: 'beta', link: 'up', reachable: true, generation: 3 },
      profiles: [{ name: 'repo-dev', rank: 2, requires_lease: true, may_ask: true }],
      workspaces: [{ name: 'app', may_name: true }],
    });
    expect(await call('list_workspaces', { peer: 'beta' })).toEqual({
      ...{ of: 'beta', workspaces: [{ name: 'app', may_name: true }] },
    });
  });

  it('that stay away are described as far as this node knows them, with why', async () => {
    const { call } = createWorld({ describe: { describe: away, check: away } });
    expect(await call('describe_peer', { peer: 'beta' })).toMatchObject({
      ...{ reachable: false, message: 'beta does not answer' },
      profiles: [
        { name: 'query', may_ask: true },
        { name: 'repo-dev', may_ask: true },
      ],
    });
    expect(await call('ping_peer', { peer: 'beta' })).toMatchObject({ reachable: false, next_steps: ['start it'] });
  });

  it('are pinged, and tried anew where the link is not up', async () => {
    const { call } = createWorld();
    expect(await call('ping_peer', { peer: 'beta' })).toMatchObject({
      peer: 'beta',
      reachable: true,
      round_trip_ms: 0,
    });
    const { peers, not_tried } = (await call('repair_peers')) as Record<string, never>;
    expect(not_tried).toBe(0);
    expect(peers).toEqual([
      {
        ...{ peer: 'gamma', link: 'none', reachable: false },
        message: 'this node has no address of gamma: it can ask here, and cannot be asked',
        next_steps: ['a person sets peers.gamma.address in writ.toml where it has one'],
      },
    ]);
  });

  it('are nothing that a task can look at', async () => {
    const { call } = createWorld();
    for (const name of ['describe_peer', 'list_workspaces', 'ping_peer', 'repair_peers', 'check_policy']) {
      await expect(call(name, { peer: 'beta' }, task), name).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
  });
});

describe('leases of one’s own', () => {
  const lent = (id: string, part: Partial<Lease>): Lease => ({
    ...{ id, peer: 'self', origin: 'self', profile: 'repo-dev', closure: [], workspaces: [], issuedBy: 'person' },
    ...{ issuedAtMs: 1, expiresAtMs: 2e12, maxExpiresAtMs: 2e12, uses: 0, version: 1 },
    ...part,
  });

  function createLeases() {
    const world = createWorld();
    for (const lease of [
      lent('l-mine', { session: 's-1' }),
      lent('l-all', {}),
      lent('l-other', { session: 's-2' }),
      lent('l-beta', { peer: BETA_ID, origin: BETA_ID }),
    ]) {
      world.leases.set(lease.id, lease);
    }
    return world;
  }

  it('are those that this piece of work may use', async () => {
    const { call } = createLeases();
    const { leases } = (await call('list_leases')) as { readonly leases: readonly { readonly id: string }[] };
    expect(leases.map(({ id }) => id)).toEqual(['l-mine', 'l-all']);
    const nobody = (await call('list_leases', {}, { kind: 'host' })) as typeof leases & { leases: typeof leases };
    expect(nobody.leases.map(({ id }) => id)).toEqual(['l-all']);
    await expect(call('list_leases', {}, task)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('are given back where they serve nobody else', async () => {
    const { call, leases } = createLeases();
    expect(await call('release_lease', { lease: 'l-mine' })).toEqual({ lease: 'l-mine', released: true });
    expect(leases.get('l-mine')?.revokedAtMs).toBeDefined();
    await expect(call('release_lease', { lease: 'l-all' })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    for (const lease of ['l-other', 'l-beta', 'l-none']) {
      await expect(call('release_lease', { lease }), lease).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect(leases.get(lease)?.revokedAtMs).toBeUndefined();
    }
  });
});
