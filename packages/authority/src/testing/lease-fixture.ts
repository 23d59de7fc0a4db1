import { type Clock, createSystemRandom, nodeIdFromBase32, silentLogger } from '@writ/core';
import { type Database, openDatabase } from '@writ/database';
import {
  createApprovalStore,
  createExecutionStore,
  createInviteStore,
  createLeaseStore,
  createRequestLogStore,
  createWindowStore,
  type InviteStore,
  type LeaseStore,
  type RequestLogStore,
} from '@writ/lease-store';
import { createPolicyEngine, type PolicyEngine } from '@writ/policy';
import { createAuthority } from '../authority.ts';
import type { Ask, Authority, LeaseGrant, Subject } from '../types.ts';

/** Node ids of the right shape. */
export const ALPHA = nodeIdFromBase32('a'.repeat(32));
export const GAMMA = nodeIdFromBase32('c'.repeat(32));
const BETA = nodeIdFromBase32('b'.repeat(32));

/** When the clock of a fixture stands first, milliseconds since the epoch. */
export const START_MS = 1_800_000_000_000;

/** Policy of the node under test, beta, with one peer, alpha. */
export const POLICY = `schema = 1
[node]
name = "beta"
[leases]
max = "24h"
[workspaces.app]
path = "."
[workspaces.site]
path = "."
[profiles.query]
capabilities = ["inspect_status"]
runner = "shell"
[profiles.repo-dev]
capabilities = ["read_repo", "edit_repo", "run_tests"]
shell = "allow"
runner = "shell"
timeout = "30m"
require_explicit = true
require_lease = true
[profiles.system-change]
capabilities = ["read_repo", "edit_repo", "run_tests", "manage_services"]
shell = "allow"
runner = "shell"
require_explicit = true
require_lease = true
[profile_ceilings]
system-change = "repo-dev"
[self]
profiles = ["query", "repo-dev"]
workspaces = ["app"]
[peers.alpha]
id = "${ALPHA}"
profiles = ["query", "repo-dev", "system-change"]
workspaces = ["app", "site"]
accept_origins = ["carol"]
[peers.alpha.limits]
max_concurrent = 2
tasks_per_hour = 3
[origins.carol]
id = "${GAMMA}"
`;

/** One node's authority on a real database and engine. */
export interface Fixture {
  readonly database: Database;
  readonly engine: PolicyEngine;
  readonly authority: Authority;
  readonly leases: LeaseStore;
  readonly requestLog: RequestLogStore;
  readonly invites: InviteStore;
  /** How many live tasks each subject has. */
  readonly live: Map<string, number>;
  /** Moves the wall clock; negative: back. */
  move(ms: number): void;
}

/** `wrap` may stand in for the stores, to make them fail. Close `database` after use. */
export async function createFixture(
  wrap: { leases?: (real: LeaseStore) => LeaseStore; engine?: (real: PolicyEngine) => PolicyEngine } = {},
): Promise<Fixture> {
  let nowMs = START_MS;
  const clock: Clock = {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    setTimer: () => () => {},
    setEvery: () => () => {},
  };
  const database = await openDatabase({ path: ':memory:', clock, logger: silentLogger });
  const real = createPolicyEngine({ text: POLICY, clock, selfId: BETA });
  const engine = wrap.engine?.(real) ?? real;
  const leases = wrap.leases?.(createLeaseStore()) ?? createLeaseStore();
  const requestLog = createRequestLogStore();
  const invites = createInviteStore();
  const live = new Map<string, number>();
  const liveTasks = { countLive: (_: unknown, subject: string) => live.get(subject) ?? 0 };
  const parts = {
    database,
    engine,
    leases,
    requestLog,
    invites,
    liveTasks,
    windows: createWindowStore(),
    approvals: createApprovalStore(),
    executions: createExecutionStore(),
    random: createSystemRandom(),
    logger: silentLogger,
  };
  return {
    ...{ database, engine, leases, requestLog, invites, live, authority: createAuthority(parts) },
    move(ms) {
      nowMs += ms;
    },
  };
}

/** Alpha's own agent, over the mesh. */
export const FROM_ALPHA: Subject = { from: ALPHA, origin: ALPHA, session: 's1' };

/** What alpha asks for by this profile. */
export function askFor(profile: string, change: Partial<Ask> = {}): Ask {
  return { chain: [ALPHA], profile, workspace: 'app', input: 'argv', ...change };
}

/** An hour of repo-dev for alpha. */
export const GRANT = {
  ...{ peer: 'alpha', profile: 'repo-dev', durationMs: 3_600_000, issuedBy: 'person' },
} satisfies LeaseGrant;
