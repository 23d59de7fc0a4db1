import { compileConfig } from '../compile.ts';
import { decideWith } from '../decide.ts';
import type { CompiledPolicy } from '../policy-index.ts';
import { outcomeOf } from '../self-tests.ts';
import type { DecisionRequest, Usage, Violation } from '../types.ts';
import { CASE_SELF_ID, caseChainId, caseNodeId } from './case-ids.ts';
import type { CaseCheck } from './types.ts';

/** A request of a case with what has to come out. */
export interface DecideCase {
  readonly from: string;
  /** Labels; absent: the sender alone. */
  readonly chain?: readonly string[];
  readonly profile?: string;
  readonly runner?: string;
  readonly workspace?: string;
  /** A live lease covers the effective profile. */
  readonly lease?: boolean;
  /** Closure of the parent's grant, of a sub-delegation only. */
  readonly grant?: readonly string[];
  readonly usage?: Usage;
  /** `allow:PROFILE`, `allow:PROFILE/RUNNER`, `ask:CODE` or `deny:CODE`. */
  readonly expect: string;
  readonly note?: string;
}

/** A configuration, what loading it gives, and what it decides. `$name` in `toml` stands for a node id. */
export interface PolicyCase {
  readonly name: string;
  readonly toml: string;
  readonly load: 'ok' | readonly { readonly code: string; readonly path?: string }[];
  readonly decide?: readonly DecideCase[];
}

/** Runs one case: its load, then each of its requests. */
export function checkPolicyCase({ name, toml, load, decide = [] }: PolicyCase): readonly CaseCheck[] {
  const compiled = compileConfig(toml.replace(/\$([a-z]+)/g, (_, label: string) => caseNodeId(label)));
  const loaded = checkLoad(name, load, compiled.ok ? [] : compiled.violations);
  const decided = decide.map((one) => {
    const what = `${name}: ${one.from} asks for ${one.profile ?? 'the default'}${one.note ? ` (${one.note})` : ''}`;
    return checkOutcome(what, one.expect, compiled.ok ? decideCase(compiled.policy, one) : 'not loaded');
  });
  return [loaded, ...decided];
}

function checkLoad(name: string, load: PolicyCase['load'], found: readonly Violation[]): CaseCheck {
  const wanted = load === 'ok' ? [] : load;
  const left = [...found];
  for (const { code, path } of wanted) {
    const at = left.findIndex((one) => one.code === code && (path === undefined || one.path === path));
    if (at >= 0) left.splice(at, 1);
  }
  const show = (list: readonly { readonly code: string; readonly path?: string }[]): string =>
    list.length === 0 ? 'ok' : list.map(({ code, path }) => (path ? `${code} at ${path}` : code)).join(', ');
  // Each one that is wanted was found, nothing else was, and each has a place.
  const isPlaced = found.every(({ position }) => (position?.line ?? 0) > 0);
  const ok = left.length === 0 && found.length === wanted.length && isPlaced;
  return { name: `${name}: loads`, expected: show(wanted), got: isPlaced ? show(found) : 'without a place', ok };
}

function checkOutcome(name: string, expected: string, full: string): CaseCheck {
  const got = expected.includes('/') ? full : (full.split('/')[0] ?? '');
  return { name, expected, got, ok: got === expected };
}

function decideCase({ index }: CompiledPolicy, one: DecideCase): string {
  const leases = [...index.config.profiles.values()].map(({ name, closure }) => {
    return { id: `lease-${name}`, profile: name, closure, workspaces: [], expiresAtMs: 1 };
  });
  const request: DecisionRequest = {
    from: caseNodeId(one.from),
    chain: (one.chain ?? [one.from]).map(caseChainId),
    ...(one.profile === undefined ? {} : { profile: one.profile }),
    ...(one.runner === undefined ? {} : { runner: one.runner }),
    ...(one.workspace === undefined ? {} : { workspace: one.workspace }),
    // The parent handed on what it held, so that it held the right to.
    ...(one.grant === undefined ? {} : { grants: [one.grant, one.grant] }),
    leases: one.lease ? leases : [],
    usage: one.usage ?? { concurrent: 0, lastHour: 0 },
  };
  return outcomeOf(decideWith(index, request, { generation: 1, selfId: CASE_SELF_ID }));
}
