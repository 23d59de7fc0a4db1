import { joinPath } from './key-path.ts';
import { maskOfProfile } from './profiles.ts';
import { finish, type Sliced } from './slices.ts';
import type { Config, PeerConfig, Position, Profile, Snapshot, SubjectRules, TraceStep } from './types.ts';

/**
 * Where a profile that a subject asks for leads, under one policy. It depends on nothing else, so that it is looked for
 * once, and so are the lines of a trace that speak of nothing else.
 */
export interface Route {
  /** Names from the profile asked for down to the effective one. */
  readonly path: readonly string[];
  readonly effective: Profile;
  /** Key path of what asks for its lease. */
  readonly leasePath: string;
  /** For each step of the decision the lines that were made already, by their variant. */
  readonly lines: Map<string, TraceStep>[];
}

/** A subject with its lists as sets. */
export interface IndexedSubject {
  /** Label of the peer, or `self`. */
  readonly label: string;
  /** Node id, folded; `self` for this machine's own agent. */
  readonly id: string;
  readonly rules: SubjectRules;
  readonly profiles: ReadonlySet<string>;
  readonly workspaces: ReadonlySet<string>;
  /** Node ids of the origins that may come through here. */
  readonly origins: ReadonlySet<string>;
  /** Key path of its table. */
  readonly path: string;
  /** Where the profiles that were asked for lead, filled as they are. */
  readonly routes: Map<Profile, Route>;
}

/** What deciding looks things up in, made once a load. */
export interface PolicyIndex {
  readonly config: Config;
  /** Peers by their node ids, folded. */
  readonly peers: ReadonlyMap<string, PeerConfig>;
  /** The peer with this node id, folded; made at the first question, since few of many peers ask anything. */
  readonly peer: (id: string) => IndexedSubject | undefined;
  readonly self: IndexedSubject;
  /** Closure of each profile as a mask. */
  readonly masks: ReadonlyMap<string, number>;
  /** Where a key path stands in the file. */
  readonly position: (path: string) => Position | undefined;
}

/** A policy that has loaded: a snapshot that has no generation yet, with what deciding needs. */
export interface CompiledPolicy extends Omit<Snapshot, 'generation' | 'peer'> {
  readonly text: string;
  readonly index: PolicyIndex;
}

/** Sets and masks of a configuration. Load has looked at its rules; deciding looks at the important ones again. */
export function indexConfig(config: Config, position: PolicyIndex['position']): PolicyIndex {
  return finish(indexInSlices(config, position));
}

/** `indexConfig` in slices: a rest may be taken after each peer. */
export function* indexInSlices(config: Config, position: PolicyIndex['position']): Sliced<PolicyIndex> {
  const indexSubject = (label: string, id: string, rules: SubjectRules, path: string): IndexedSubject => ({
    label,
    id,
    rules,
    profiles: new Set(rules.profiles),
    workspaces: new Set(rules.workspaces),
    origins: new Set(rules.acceptOrigins.flatMap((origin) => idOfLabel(config, origin))),
    path,
    routes: new Map(),
  });
  const peers = yield* peersById(config);
  const indexed = new Map<string, IndexedSubject>();
  const indexPeer = (id: string): IndexedSubject | undefined => {
    const peer = peers.get(id);
    if (!peer) return undefined;
    const subject = indexSubject(peer.label, id, peer, joinPath('peers', peer.label));
    indexed.set(id, subject);
    return subject;
  };
  return {
    config,
    peers,
    peer: (id) => indexed.get(id) ?? indexPeer(id),
    self: indexSubject('self', 'self', config.self, 'self'),
    masks: new Map([...config.profiles].map(([name, profile]) => [name, maskOfProfile(profile)])),
    position,
  };
}

/** The peers of a configuration by their node ids; a rest may be taken after each. */
export function* peersById({ peers }: Config): Sliced<ReadonlyMap<string, PeerConfig>> {
  const byId = new Map<string, PeerConfig>();
  for (const peer of peers.values()) {
    byId.set(peer.id, peer);
    yield;
  }
  return byId;
}

function idOfLabel(config: Config, label: string): readonly string[] {
  const id = config.peers.get(label)?.id ?? config.origins.get(label);
  return id === undefined ? [] : [id];
}
