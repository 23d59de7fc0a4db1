import type { PeerConfig, Snapshot } from '@writ/policy';
import type * as wire from '@writ/wire';
import { readCount, readId, readName, readNames, readText, refuseField } from './fields.ts';

const MAX_NAMES = 4096;

/** A peer as it describes itself to this node. */
export interface PeerDescription {
  readonly id: string;
  /** Its own name for itself; a label, nothing more. */
  readonly name: string;
  readonly version: string;
  /** What this node may ask for there. */
  readonly profiles: readonly {
    readonly name: string;
    readonly rank: number;
    readonly requiresLease: boolean;
    readonly requiresApproval: boolean;
  }[];
  readonly workspaces: readonly string[];
  readonly generation: number;
}

/** What a peer may know of this node: itself, and the profiles and workspaces that it may name. */
export function descriptionToWire(
  node: { readonly id: string; readonly name: string; readonly version: string },
  snapshot: Snapshot,
  peer: PeerConfig,
): wire.Init<wire.DescribeResponse> {
  const profiles = peer.profiles.flatMap((name) => snapshot.config.profiles.get(name) ?? []);
  return {
    ...node,
    generation: snapshot.generation,
    workspaces: peer.workspaces,
    profiles: profiles.map(({ name, rank, requireLease, requireApproval }) => ({
      name,
      rank,
      requiresLease: requireLease,
      requiresApproval: requireApproval,
    })),
  };
}

/** A peer's description, checked. Throws BAD_REQUEST. */
export function descriptionFromWire(message: wire.DescribeResponse): PeerDescription {
  if (message.profiles.length > MAX_NAMES) return refuseField('profiles', `has more than ${MAX_NAMES} entries`);
  return {
    id: readId('id', message.id),
    name: readText(message.name) ?? '',
    version: readText(message.version) ?? '',
    generation: readCount('generation', message.generation),
    workspaces: readNames('workspaces', message.workspaces, MAX_NAMES),
    profiles: message.profiles.map((profile) => ({
      name: readName('profile.name', profile.name) ?? refuseField('profile.name', 'is missing'),
      rank: readCount('profile.rank', profile.rank, 4),
      requiresLease: profile.requiresLease,
      requiresApproval: profile.requiresApproval,
    })),
  };
}
