import { foldName, quote } from '@writ/core';
import { buildProfile, claimsDeprecation } from './profiles.ts';
import type { Report } from './readers.ts';
import { profileReader } from './schema.ts';
import type { Deprecation, Network, Violation } from './types.ts';

/** A profile that somebody asks about without writing it into a file. Both flags have to be said. */
export interface ProfileQuestion {
  readonly name: string;
  readonly capabilities?: readonly string[];
  /** Older spelling of `capabilities`. */
  readonly claims?: readonly string[];
  readonly shell?: string;
  readonly network?: string | Network;
  readonly runner?: string;
  readonly rank?: number;
  readonly requireExplicit: boolean;
  readonly requireLease: boolean;
}

export interface ProfileAnswer {
  /** Empty where the profile may be loaded. */
  readonly violations: readonly Violation[];
  readonly deprecations: readonly Deprecation[];
  /** What its capabilities come to, as far as they could be read. */
  readonly rank: number;
  readonly closure: readonly string[];
}

/** Holds a profile against the rules of loading that look at it alone: the same code, never a second reading of them. */
export function validateProfile(question: ProfileQuestion): ProfileAnswer {
  const violations: Violation[] = [];
  const report: Report = (code, path, message) => violations.push({ code, path, message });
  const name = foldName(question.name);
  if (name === undefined) {
    const wanted = 'write 1 to 64 of a-z, 0-9, `.`, `_` and `-`, starting with a letter or digit';
    report('BAD_NAME', 'name', `${quote(question.name)} is no name, ${wanted}`);
  }
  const path = `profiles.${name ?? 'NAME'}`;
  const written = profileReader.read(documentOf(question), path, report);
  const profile = written && buildProfile(name ?? '', { path, value: written }, report);
  const deprecations = question.claims ? [claimsDeprecation(path)] : [];
  return { violations, deprecations, rank: profile?.rank ?? 0, closure: profile?.closure ?? [] };
}

function documentOf(question: ProfileQuestion): Record<string, unknown> {
  const { capabilities, claims, shell, network, runner, rank, requireExplicit, requireLease } = question;
  return {
    ...(capabilities ? { capabilities: [...capabilities] } : {}),
    ...(claims ? { claims: [...claims] } : {}),
    ...(shell === undefined ? {} : { shell }),
    ...(network === undefined ? {} : { network }),
    ...(rank === undefined ? {} : { rank }),
    runner: runner ?? 'shell',
    require_explicit: requireExplicit,
    require_lease: requireLease,
  };
}
