import type { Config, PeerConfig } from '@writ/policy';
import type { OperationOutput } from '../client/types.ts';
import { neighbourContract } from '../contract/neighbours.ts';
import type { GatewayPorts } from '../gateway-ports.ts';
import { type AnyOperation, implement } from '../implement.ts';
import { foldLetters, requirePeer, SELF } from './peer-lookup.ts';
import { askPeerItself, reach } from './reach.ts';

/** Most peers that one repair tries, and how many at once. */
const MOST_TRIED = 64;
const AT_ONCE = 8;

/** The other nodes, one by one. */
export function neighbourOperations(ports: GatewayPorts): readonly AnyOperation[] {
  const { engine, links } = ports;
  const config = (): Config => engine.snapshot().config;
  return [
    implement(neighbourContract.describe_peer, ({ peer }, { signal }) =>
      describePeer(ports, requirePeer(config(), peer), signal),
    ),
    implement(neighbourContract.list_workspaces, async ({ peer }, { signal }) => {
      if (peer === undefined || foldLetters(peer) === SELF) return ownWorkspaces(config());
      const { id, label, outbound } = requirePeer(config(), peer);
      const { workspaces } = await ports.describe.describe(id, signal);
      return { of: label, workspaces: named(workspaces, outbound.workspaces) };
    }),
    implement(neighbourContract.ping_peer, ({ peer }, { signal }) => reach(ports, requirePeer(config(), peer), signal)),
    implement(neighbourContract.repair_peers, async (_input, { signal }) => {
      const away = [...config().peers.values()].filter(({ id }) => links.state(id) !== 'up');
      const peers: OperationOutput<'repair_peers'>['peers'] = [];
      for (let at = 0; at < Math.min(away.length, MOST_TRIED); at += AT_ONCE) {
        const some = away.slice(at, Math.min(at + AT_ONCE, MOST_TRIED));
        peers.push(...(await Promise.all(some.map((peer) => reach(ports, peer, signal)))));
      }
      return { peers, not_tried: Math.max(0, away.length - MOST_TRIED) };
    }),
  ];
}

function ownWorkspaces({ workspaces, self }: Config): OperationOutput<'list_workspaces'> {
  return { of: SELF, workspaces: named([...workspaces.keys()], self.workspaces) };
}

function named(there: readonly string[], may: readonly string[]) {
  return there.map((name) => ({ name, may_name: may.includes(name) }));
}

async function describePeer(
  ports: GatewayPorts,
  peer: PeerConfig,
  signal: AbortSignal,
): Promise<OperationOutput<'describe_peer'>> {
  const { label, id, enabled, outbound } = peer;
  const answer = await askPeerItself(ports, peer, signal);
  const head = { label, id, enabled, link: ports.links.state(id), reachable: answer.reachable };
  if (!answer.reachable) {
    return {
      ...head,
      message: answer.message,
      profiles: outbound.profiles.map((name) => ({ name, may_ask: true })),
      workspaces: named(outbound.workspaces, outbound.workspaces),
    };
  }
  const { version, generation, profiles, workspaces } = answer.description;
  return {
    ...{ ...head, version, generation },
    profiles: profiles.map(({ name, rank, requiresLease, requiresApproval }) => ({
      ...{ name, rank, requires_lease: requiresLease, requires_approval: requiresApproval },
      may_ask: outbound.profiles.includes(name),
    })),
    workspaces: named(workspaces, outbound.workspaces),
  };
}
