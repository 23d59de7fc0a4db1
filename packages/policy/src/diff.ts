import { descend } from './ceilings.ts';
import { widerNode } from './diff-node.ts';
import { widerProfile } from './diff-profile.ts';
import { createGivenDetails, type GivenDetails } from './given-details.ts';
import { finish, type Sliced } from './slices.ts';
import { NO_RULES } from './subjects.ts';
import type { Config, OutboundRules, PeerConfig, PolicyChange, Profile, SubjectRules } from './types.ts';

/** One subject as one policy sees it; without rules it is no subject there. */
interface Side {
  readonly config: Config;
  readonly rules?: SubjectRules;
  readonly outbound?: OutboundRules;
  /** Identity of a peer. */
  readonly id?: string;
}

/**
 * Who could at most be granted more by `after` than by `before`, and who less, lives leases assumed: computed from
 * what both would grant, never declared. Empty where nobody's bound moves. A profile or workspace that somebody can name now and
 * could not before is told whole, once: a yes to a name is a yes to what it stands for.
 */
export function diffPolicies(before: Config, after: Config): readonly PolicyChange[] {
  return finish(comparePolicies(before, after));
}

/** `diffPolicies` in slices: a rest may be taken after each peer. */
export function* comparePolicies(before: Config, after: Config): Sliced<readonly PolicyChange[]> {
  const changes: PolicyChange[] = [];
  const compare = createProfileCompare();
  const given = createGivenDetails();
  const add = (subject: string, effect: PolicyChange['effect'], whats: readonly string[]): void => {
    for (const what of whats) changes.push({ subject, effect, what });
  };
  const addBoth = (subject: string, from: Side, to: Side): void => {
    add(subject, 'gains', widerSubject(from, to, compare, given));
    add(subject, 'loses', widerSubject(to, from, compare));
  };
  add('node', 'gains', widerNode(before, after));
  add('node', 'loses', widerNode(after, before));
  addBoth('self', { config: before, rules: before.self }, { config: after, rules: after.self });
  const byId = new Map<string, PeerConfig>();
  for (const peer of before.peers.values()) {
    byId.set(peer.id, peer);
    yield;
  }
  for (const peer of after.peers.values()) {
    const earlier = byId.get(peer.id);
    byId.delete(peer.id);
    // Whatever names a peer from now on means another one than it did: a lease, an answer, a task.
    const named = before.peers.get(peer.label);
    if (earlier !== undefined && named !== undefined && named.id !== peer.id) {
      add(peer.label, 'gains', [`is the name of ${peer.id}, which was ${earlier.label}`]);
    }
    addBoth(peer.label, sideOf(before, earlier), sideOf(after, peer));
    yield;
  }
  for (const gone of byId.values()) {
    addBoth(gone.label, sideOf(before, gone), { config: after });
    yield;
  }
  return [...changes, ...given.changes(after)];
}

function sideOf(config: Config, peer: PeerConfig | undefined): Side {
  return peer ? { config, rules: peer, outbound: peer.outbound, id: peer.id } : { config };
}

type ProfileCompare = (from: Side, to: Side, asked: string) => readonly string[];

/** Compares what a profile leads to on both sides; each pair of profiles is compared once, however many may ask. */
function createProfileCompare(): ProfileCompare {
  const seen = new Map<Profile, Map<Profile, readonly string[]>>();
  return (from, to, asked) => {
    const narrow = boundOf(from, asked);
    const wide = boundOf(to, asked);
    if (!narrow || !wide) return wide ? [`may ask for profile ${asked}`] : [];
    const row = seen.get(narrow) ?? new Map<Profile, readonly string[]>();
    seen.set(narrow, row);
    const known = row.get(wide) ?? widerProfile(from.config, narrow, to.config, wide);
    row.set(wide, known);
    return known.map((what) => `profile ${asked}: ${what}`);
  };
}

function boundOf({ config, rules }: Side, asked: string): Profile | undefined {
  const path = descend(config.profiles, config.ceilings, rules?.ceilings ?? {}, asked);
  return config.profiles.get(path.at(-1) ?? asked);
}

/** What `to` gives the subject beyond `from`. */
function widerSubject(from: Side, to: Side, compare: ProfileCompare, given?: GivenDetails): readonly string[] {
  if (!to.rules) return [];
  const outbound = widerOutbound(from.outbound, to.outbound);
  // A subject that is switched off is given nothing, in neither direction.
  if (!to.rules.enabled) return from.rules ? [] : [`is a peer, switched off${identity(to)}`];
  const narrow = from.rules?.enabled ? from.rules : undefined;
  const opened = narrow ? [] : [`${from.rules ? 'is switched on' : 'is a peer'}${identity(to)}`];
  const rules = narrow ?? NO_RULES;
  const side: Side = { ...from, rules };
  return [
    ...opened,
    ...widerProfiles(side, to, compare, given),
    ...widerWorkspaces(side, to, given),
    ...widerRights(side, to),
    ...widerLimits(narrow, to.rules),
    ...(narrow ? outbound : widerOutbound(undefined, to.outbound)),
  ];
}

/** What a label stands for; nothing for this machine itself. */
function identity({ id }: Side): string {
  return id === undefined ? '' : `: ${id}`;
}

function widerProfiles(from: Side, to: Side, compare: ProfileCompare, given?: GivenDetails): readonly string[] {
  const askable = new Set(from.rules?.profiles);
  return (to.rules?.profiles ?? []).flatMap((asked) => {
    if (askable.has(asked)) return compare(from, to, asked);
    const bound = boundOf(to, asked);
    if (bound) given?.profile(bound);
    return [`may ask for profile ${asked}${bound && bound.name !== asked ? `, which leads to ${bound.name}` : ''}`];
  });
}

function widerWorkspaces(from: Side, to: Side, given?: GivenDetails): readonly string[] {
  const usable = new Set(from.rules?.workspaces);
  return (to.rules?.workspaces ?? []).flatMap((name) => {
    const workspace = to.config.workspaces.get(name);
    if (!usable.has(name)) {
      if (workspace) given?.workspace(workspace);
      return [`may use workspace ${name}`];
    }
    const moved = from.config.workspaces.get(name)?.path !== workspace?.path;
    return moved ? [`workspace ${name} is the folder ${workspace?.path ?? ''}`] : [];
  });
}

function widerRights(from: Side, to: Side): readonly string[] {
  const narrow = from.rules ?? NO_RULES;
  const wide = to.rules ?? NO_RULES;
  const whats: string[] = [];
  if (wide.maxDepth > narrow.maxDepth) whats.push(`work may go on for ${wide.maxDepth} hops`);
  if (wide.mayRequestLease && !narrow.mayRequestLease) whats.push('may ask for a lease');
  const accepted = new Set(narrow.acceptOrigins.map((label) => originId(from.config, label)));
  for (const label of wide.acceptOrigins) {
    const id = originId(to.config, label);
    if (!accepted.has(id)) whats.push(`work that began at ${label} (${id ?? 'nobody'}) may come through it`);
  }
  return whats;
}

function originId(config: Config, label: string): string | undefined {
  return config.peers.get(label)?.id ?? config.origins.get(label);
}

function widerLimits(from: SubjectRules | undefined, to: SubjectRules): readonly string[] {
  // Of a subject that is new the limits are told that it has; one of which none is told has none.
  const raised = (narrow: number | undefined, wide: number | undefined): boolean =>
    from ? narrow !== undefined && (wide ?? Number.POSITIVE_INFINITY) > narrow : wide !== undefined;
  const shown = (limit: number | undefined): string => (limit === undefined ? 'any number of' : `${limit}`);
  const whats: string[] = [];
  if (raised(from?.limits.maxConcurrent, to.limits.maxConcurrent)) {
    whats.push(`may have ${shown(to.limits.maxConcurrent)} tasks at once`);
  }
  if (raised(from?.limits.tasksPerHour, to.limits.tasksPerHour)) {
    whats.push(`may make ${shown(to.limits.tasksPerHour)} requests an hour`);
  }
  return whats;
}

function widerOutbound(from: OutboundRules | undefined, to: OutboundRules | undefined): readonly string[] {
  if (!to) return [];
  const more = (narrow: readonly string[] | undefined, wide: readonly string[]): readonly string[] =>
    wide.filter((name) => !narrow?.includes(name));
  return [
    ...more(from?.profiles, to.profiles).map((name) => `agents here may ask it for profile ${name}`),
    ...more(from?.workspaces, to.workspaces).map((name) => `agents here may name workspace ${name} at it`),
    ...(to.ship && !from?.ship ? ['agents here may send it a working tree'] : []),
  ];
}
