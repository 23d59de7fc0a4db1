import { isWritError } from '@writ/core';
import type { InviteEvent } from '@writ/pairing';
import type { PeerConfig } from '@writ/policy';
import type { PeerView, StreamItem } from '../client/types.ts';
import { peerContract } from '../contract/peers.ts';
import type { GatewayPorts } from '../gateway-ports.ts';
import { type AnyOperation, implement, implementStream } from '../implement.ts';
import { requireDuration } from './duration.ts';
import { requireName, requirePeer } from './peer-lookup.ts';

/** Making, showing and unmaking peers; for a person. */
export function peerOperations(ports: GatewayPorts): readonly AnyOperation[] {
  const { engine, pairing, authority } = ports;
  return [
    implementStream(peerContract.peer_invite, ({ profiles, workspaces, lease, address }, { signal }) =>
      invite(
        ports,
        {
          profiles: profiles.map((name) => requireName('profiles', name)),
          workspaces: workspaces.map((name) => requireName('workspaces', name)),
          ...(lease === undefined ? {} : { leaseMs: requireDuration('lease', lease) }),
          ...(address === undefined ? {} : { address }),
        },
        signal,
      ),
    ),
    implement(peerContract.peer_confirm, async ({ invite: id, accept }) => {
      await pairing.confirm(id, accept);
      return { invite: id, accepted: accept };
    }),
    implementStream(peerContract.peer_join, ({ code }, { signal }) => join(ports, code.trim(), signal)),
    implement(peerContract.peer_list, () => ({
      peers: [...engine.snapshot().config.peers.values()].map((peer) => viewPeer(peer, ports)),
    })),
    implement(peerContract.peer_show, ({ peer: name }) => {
      const { config, generation } = engine.snapshot();
      const peer = requirePeer(config, name);
      const { maxConcurrent, tasksPerHour } = peer.limits;
      return {
        ...viewPeer(peer, ports),
        max_depth: peer.maxDepth,
        may_request_lease: peer.mayRequestLease,
        accept_origins: [...peer.acceptOrigins],
        ceilings: { ...config.ceilings, ...peer.ceilings },
        ...(maxConcurrent === undefined ? {} : { max_concurrent: maxConcurrent }),
        ...(tasksPerHour === undefined ? {} : { tasks_per_hour: tasksPerHour }),
        ship: peer.outbound.ship,
        live_leases: authority.listLeases({ peer: peer.id }).length,
        generation,
      };
    }),
    implement(peerContract.peer_remove, async ({ peer }) => {
      const { label, generation } = await pairing.remove(peer);
      return { label, generation };
    }),
  ];
}

function viewPeer(peer: PeerConfig, { links }: GatewayPorts): PeerView {
  return {
    label: peer.label,
    id: peer.id,
    ...(peer.address === undefined ? {} : { address: peer.address }),
    enabled: peer.enabled,
    link: links.state(peer.id),
    profiles: [...peer.profiles],
    workspaces: [...peer.workspaces],
    outbound_profiles: [...peer.outbound.profiles],
    outbound_workspaces: [...peer.outbound.workspaces],
  };
}

async function* invite(
  { pairing }: GatewayPorts,
  offer: Parameters<GatewayPorts['pairing']['createInvite']>[0],
  signal: AbortSignal,
): AsyncGenerator<StreamItem<'peer_invite'>> {
  const { id, code, expiresAtMs } = await pairing.createInvite(offer);
  let isSettled = false;
  try {
    yield { kind: 'invite', id, code, expires_at_ms: expiresAtMs };
    for await (const event of pairing.watchInvite(id, signal)) {
      isSettled = event.kind !== 'proved';
      yield viewInvite(event);
    }
  } finally {
    // Nobody is left who could answer: the code must not stay good, and whoever proves it must not wait.
    if (!isSettled) await withdraw(pairing, id);
  }
}

async function withdraw(pairing: GatewayPorts['pairing'], id: string): Promise<void> {
  try {
    await pairing.confirm(id, false);
  } catch (error) {
    // It was settled in this very moment.
    if (!isWritError(error, 'NOT_FOUND')) throw error;
  }
}

function viewInvite(event: InviteEvent): StreamItem<'peer_invite'> {
  switch (event.kind) {
    case 'proved':
      return {
        kind: 'proved',
        peer_id: event.peerId,
        label: event.label,
        words: event.words,
        ...(event.approval === undefined ? {} : { approval: event.approval }),
      };
    case 'paired':
      return { kind: 'paired', peer_id: event.peerId, label: event.label, generation: event.generation };
    case 'refused':
      return {
        kind: 'refused',
        ...(event.why === undefined ? {} : { why: event.why }),
        ...(event.nextSteps === undefined ? {} : { next_steps: [...event.nextSteps] }),
      };
    case 'expired':
      return { kind: 'expired' };
  }
}

async function* join(
  { pairing }: GatewayPorts,
  code: string,
  signal: AbortSignal,
): AsyncGenerator<StreamItem<'peer_join'>> {
  for await (const event of pairing.join(code, signal)) {
    const who = { peer_id: event.peerId, label: event.label };
    if (event.kind === 'proved') {
      yield { kind: 'proved', ...who, words: event.words };
    } else if (event.kind === 'asked') {
      yield { kind: 'asked', ...who, approval: event.approval };
    } else {
      yield {
        kind: 'paired',
        ...who,
        profiles: [...event.profiles],
        workspaces: [...event.workspaces],
        ...(event.leaseMs === undefined ? {} : { lease_ms: event.leaseMs }),
        generation: event.generation,
      };
    }
  }
}
