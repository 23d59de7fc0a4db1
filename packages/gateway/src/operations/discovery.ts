import { WritError } from '@writ/core';
import type { Profile } from '@writ/policy';
import type { OperationOutput } from '../client/types.ts';
import { discoveryContract } from '../contract/discovery.ts';
import type { GatewayPorts } from '../gateway-ports.ts';
import { type AnyOperation, implement } from '../implement.ts';
import type { PeerDescription } from '../ports.ts';
import { viewViolation } from '../views/policy-view.ts';
import { foldLetters, requireName, requirePeer, SELF } from './peer-lookup.ts';

/** What an agent can find out before it asks for anything. */
export function discoveryOperations(ports: GatewayPorts): readonly AnyOperation[] {
  const { engine, node, links } = ports;
  return [
    implement(discoveryContract.whoami, (_input, { caller }) => {
      const { generation, config } = engine.snapshot();
      const { id, name, version, unseparated } = node.info();
      // A task hands nothing on to its own node, so that nothing here may be asked for.
      const isTask = caller.kind === 'task';
      const defaultProfile = isTask ? undefined : config.node.defaultProfile;
      return {
        id,
        name,
        version,
        unseparated,
        generation,
        ...(defaultProfile === undefined ? {} : { default_profile: defaultProfile }),
        profiles: isTask ? [] : [...config.self.profiles],
        workspaces: isTask ? [] : [...config.self.workspaces],
        ...(caller.session ? { session: caller.session.id, agent: caller.session.agent } : {}),
      };
    }),
    implement(discoveryContract.list_peers, () => ({
      peers: [...engine.snapshot().config.peers.values()].map((peer) => ({
        label: peer.label,
        id: peer.id,
        ...(peer.address === undefined ? {} : { address: peer.address }),
        enabled: peer.enabled,
        link: links.state(peer.id),
        profiles_we_may_ask: [...peer.outbound.profiles],
        workspaces_we_may_name: [...peer.outbound.workspaces],
      })),
    })),
    implement(discoveryContract.list_profiles, async ({ peer }, { signal }) => {
      const { generation, config } = engine.snapshot();
      if (peer === undefined || foldLetters(peer) === SELF) {
        return {
          of: SELF,
          generation,
          profiles: [...config.profiles.values()].map((profile) => ownProfile(profile, config.self.profiles)),
          workspaces: [...config.self.workspaces],
        };
      }
      const { id, label, outbound } = requirePeer(config, peer);
      return offered(label, await ports.describe.describe(id, signal), outbound.profiles);
    }),
    implement(discoveryContract.profile_validate, (input) => {
      if (typeof input.network === 'object' && input.network.length === 0) {
        throw new WritError('BAD_REQUEST', 'network: name at least one host:port, or write deny');
      }
      const verdict = ports.profiles.validate({
        name: requireName('name', input.name),
        capabilities: input.capabilities,
        requireExplicit: input.require_explicit,
        requireLease: input.require_lease,
        ...(input.claims === undefined ? {} : { claims: input.claims }),
        ...(input.shell === undefined ? {} : { shell: input.shell }),
        ...(input.network === undefined ? {} : { network: input.network }),
        ...(input.rank === undefined ? {} : { rank: input.rank }),
      });
      return {
        valid: verdict.violations.length === 0,
        rank: verdict.rank,
        closure: [...verdict.closure],
        violations: verdict.violations.map(viewViolation),
        warnings: verdict.deprecations.map(({ message }) => message),
      };
    }),
  ];
}

type ListedProfile = OperationOutput<'list_profiles'>['profiles'][number];

function ownProfile(profile: Profile, mayAsk: readonly string[]): ListedProfile {
  return {
    name: profile.name,
    rank: profile.rank,
    requires_lease: profile.requireLease,
    requires_approval: profile.requireApproval,
    may_ask: mayAsk.includes(profile.name),
    runner: profile.runner,
    capabilities: [...profile.capabilities],
  };
}

function offered(
  label: string,
  description: PeerDescription,
  mayAsk: readonly string[],
): OperationOutput<'list_profiles'> {
  return {
    of: label,
    generation: description.generation,
    profiles: description.profiles.map((profile) => ({
      name: profile.name,
      rank: profile.rank,
      requires_lease: profile.requiresLease,
      requires_approval: profile.requiresApproval,
      may_ask: mayAsk.includes(profile.name),
    })),
    workspaces: [...description.workspaces],
  };
}
