import { nearest, quote } from '@writ/core';
import {
  CAPABILITIES,
  closureMask,
  HIGH_RISK_TIER,
  highRiskMembers,
  maskOf,
  membersOf,
  tierOf,
} from './capabilities.ts';
import { checkCommands } from './commands.ts';
import { joinPath } from './key-path.ts';
import { normalizeNetwork } from './network.ts';
import type { Placed, Report } from './readers.ts';
import type { ProfileDocument } from './schema.ts';
import type { Deprecation, Profile } from './types.ts';

/**
 * A profile with what its capabilities imply, and the rules that look at it alone: known capabilities, both flags for
 * high-risk ones, a rank that is not lowered.
 */
export function buildProfile(name: string, { path, value: written }: Placed<ProfileDocument>, report: Report): Profile {
  const network = normalizeNetwork(written.network);
  const capabilities = declaredCapabilities(path, written, report);
  const mask = closureMask(capabilities, written.shell, network !== 'deny');
  const tier = tierOf(mask);
  checkFlags(path, written, mask, report);
  checkCommands(written.commands, mask, report);
  const declaredRank = written.rank?.value ?? tier;
  if (written.rank && declaredRank < tier) {
    const why = highRiskMembers(mask).join(', ') || membersOf(mask).join(', ');
    report(
      'RANK_TOO_LOW',
      written.rank.path,
      `rank ${declaredRank} is below ${tier}, which ${why} give; write ${tier} or more`,
    );
  }
  return {
    name,
    capabilities,
    closure: membersOf(mask),
    rank: Math.max(declaredRank, tier),
    runner: written.runner?.value ?? '',
    shell: written.shell,
    network,
    requireExplicit: written.require_explicit,
    requireLease: written.require_lease,
    requireApproval: written.require_approval,
    timeoutMs: written.timeout,
    maxOutputBytes: written.max_output,
    onOverflow: written.on_overflow,
    isolation: written.isolation,
    retry: written.retry,
    onPartition: written.on_partition,
    commands: written.commands.map(({ value }) => value),
    readPaths: written.read_paths,
    env: written.env,
    secrets: written.secrets,
    artifacts: written.artifacts,
    ...(written.workspaces ? { workspaces: sortedNames(written.workspaces) } : {}),
  };
}

/** What is said of a profile that writes `claims`. */
export function claimsDeprecation(path: string): Deprecation {
  return { path: joinPath(path, 'claims'), message: '`claims` is the older spelling, write `capabilities`' };
}

/** Names of a list, sorted, each once. */
export function sortedNames(names: readonly Placed<string>[]): readonly string[] {
  return [...new Set(names.map(({ value }) => value))].sort();
}

function declaredCapabilities(path: string, written: ProfileDocument, report: Report): readonly string[] {
  if (!written.capabilities && !written.claims) {
    const at = joinPath(path, 'capabilities');
    report('BAD_VALUE', at, `${quote(at)} is missing, write a list of capabilities, for example ["inspect_status"]`);
  }
  // The older spelling becomes the same set before any rule looks at it, so that no rule can be got round with it.
  const all = [...(written.capabilities ?? []), ...(written.claims ?? [])];
  return sortedNames(all.filter((one) => knownCapability(one, report)));
}

/** Reports a word that is no capability. */
export function knownCapability({ path, value }: Placed<string>, report: Report): boolean {
  if (CAPABILITIES.includes(value)) return true;
  const near = nearest(value, CAPABILITIES);
  const instead = near ? `write ${quote(near)}` : `known are ${CAPABILITIES.join(', ')}`;
  report('UNKNOWN_CAPABILITY', path, `unknown capability ${quote(value)}, ${instead}`);
  return false;
}

function checkFlags(path: string, written: ProfileDocument, mask: number, report: Report): void {
  if (tierOf(mask) < HIGH_RISK_TIER) return;
  const why = `${highRiskMembers(mask).join(', ')} ${highRiskMembers(mask).length === 1 ? 'is' : 'are'} high-risk`;
  if (!written.require_explicit) report('HIGH_RISK_NEEDS_EXPLICIT', path, `${why}, write \`require_explicit = true\``);
  if (!written.require_lease) report('HIGH_RISK_NEEDS_LEASE', path, `${why}, write \`require_lease = true\``);
}

/** Closure of a profile as a mask. */
export function maskOfProfile(profile: Profile): number {
  return maskOf(profile.closure);
}
