import { parseNodeId, quote } from '@writ/core';
import { buildCeilings, checkSubjectCeilings, didYouMean } from './ceilings.ts';
import { joinPath } from './key-path.ts';
import { sortedNames } from './profiles.ts';
import type { Placed, Report } from './readers.ts';
import type { PeerDocument, SubjectDocument } from './schema.ts';
import type { PeerConfig, Profile, SubjectRules, WorkspaceConfig } from './types.ts';

/** What the rules of a subject refer to. */
export interface Surroundings {
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly workspaces: ReadonlyMap<string, WorkspaceConfig>;
  readonly nodeCeilings: Readonly<Record<string, string>>;
  readonly nodeCircles: ReadonlySet<string>;
  /** Labels of peers and origins. */
  readonly labels: ReadonlyMap<string, unknown>;
}

/** Rules of a subject that says nothing: nothing may be asked for. */
export const NO_RULES: SubjectRules = {
  profiles: [],
  workspaces: [],
  maxDepth: 0,
  enabled: true,
  mayRequestLease: false,
  acceptOrigins: [],
  ceilings: {},
  limits: {},
};

/** Rules of a peer or of `self`, with every name in them looked up. */
export function buildSubject(written: SubjectDocument, around: Surroundings, report: Report): SubjectRules {
  const { profiles, workspaces, nodeCeilings, nodeCircles, labels } = around;
  for (const { path, value } of written.profiles) {
    if (!profiles.has(value))
      report('UNKNOWN_PROFILE', path, `no profile ${quote(value)}${didYouMean(value, profiles)}`);
  }
  for (const { path, value } of written.workspaces) {
    if (workspaces.has(value)) continue;
    report('UNKNOWN_WORKSPACE', path, `no workspace ${quote(value)}${didYouMean(value, workspaces)}`);
  }
  for (const { path, value } of written.accept_origins) {
    if (labels.has(value)) continue;
    report('BAD_VALUE', path, `no peer and no origin ${quote(value)}${didYouMean(value, labels)}`);
  }
  const ceilings = buildCeilings(written.profile_ceilings, profiles, report);
  checkSubjectCeilings(written.profile_ceilings, ceilings, nodeCeilings, nodeCircles, profiles, report);
  const { max_concurrent: maxConcurrent, tasks_per_hour: tasksPerHour } = written.limits ?? {};
  return {
    profiles: sortedNames(written.profiles),
    workspaces: sortedNames(written.workspaces),
    maxDepth: written.max_depth,
    enabled: written.enabled,
    mayRequestLease: written.may_request_lease,
    acceptOrigins: sortedNames(written.accept_origins),
    ceilings,
    limits: {
      ...(maxConcurrent === undefined ? {} : { maxConcurrent }),
      ...(tasksPerHour === undefined ? {} : { tasksPerHour }),
    },
  };
}

/** One peer; undefined where its id cannot be used. */
export function buildPeer(
  label: string,
  { path, value: written }: Placed<PeerDocument>,
  around: Surroundings,
  report: Report,
): PeerConfig | undefined {
  const rules = buildSubject(written, around, report);
  if (label === 'self') report('BAD_NAME', path, '`self` stands for this machine, give the peer another label');
  if (!written.id || !checkNodeId(written.id, report)) return undefined;
  const outbound = written.outbound;
  return {
    ...rules,
    label,
    id: written.id.value,
    ...(written.address === undefined ? {} : { address: written.address }),
    outbound: {
      profiles: [...new Set(outbound?.profiles)].sort(),
      workspaces: [...new Set(outbound?.workspaces)].sort(),
      ship: outbound?.ship ?? false,
    },
  };
}

/** Reports an id that is none, by its shape or by its checksum. */
export function checkNodeId({ path, value }: Placed<string>, report: Report): boolean {
  if (parseNodeId(value) !== undefined) return true;
  const instead = 'write the id that `writ status` shows on that node';
  report('BAD_VALUE', path, `${quote(value)} is no node id, ${instead}`);
  return false;
}

/** Reports two labels of one identity: a sender has to have exactly one set of rules. */
export function checkDistinctIds(
  peers: ReadonlyMap<string, Placed<{ readonly id: Placed<string> | undefined }>>,
  report: Report,
): void {
  const seen = new Map<string, string>();
  for (const [label, { path, value }] of peers) {
    if (!value.id) continue;
    const before = seen.get(value.id.value);
    if (before === undefined) seen.set(value.id.value, label);
    else report('NAME_CONFLICT', joinPath(path, 'id'), `this is also the id of ${quote(before)}, keep one of the two`);
  }
}
