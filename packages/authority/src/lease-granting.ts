import { foldId, foldName, formatDuration, nearest, quote, WritError } from '@writ/core';
import type { Lease, NewLease } from '@writ/lease-store';
import type { Config, Profile } from '@writ/policy';
import { SELF } from './subject.ts';
import type { LeaseGrant, LeaseSpan } from './types.ts';

/**
 * A lease as it will be stored, checked against one configuration. Throws PEER_UNKNOWN, PROFILE_UNKNOWN, NOT_FOUND or
 * BAD_REQUEST, each with what would be right.
 */
export function planLease(
  config: Config,
  grant: LeaseGrant,
  now: { readonly id: string; readonly nowMs: number },
): NewLease {
  const peer = resolvePeer(config, grant.peer);
  const profile = resolveProfile(config, grant.profile);
  const expiresAtMs = endOf(grant, now.nowMs);
  if (expiresAtMs - now.nowMs > config.leases.maxMs) {
    const most = formatDuration(config.leases.maxMs);
    throw new WritError(
      'BAD_REQUEST',
      `a lease of ${formatDuration(expiresAtMs - now.nowMs)} is longer than ${most}, the most here`,
      {
        nextSteps: [`ask for at most ${most}, or raise \`max\` in [leases]`],
      },
    );
  }
  if (grant.maxUses !== undefined) checkCount('number of uses', grant.maxUses);
  if (grant.workspaces?.length === 0) {
    // An absent list is every workspace of the peer; an empty one would be read as that.
    throw new WritError('BAD_REQUEST', 'a lease for no workspace serves nothing', {
      nextSteps: ['name the workspaces', 'or leave them out, for every one that the peer has'],
    });
  }
  if (grant.session === '') {
    throw new WritError('BAD_REQUEST', 'the session of a lease is empty', {
      nextSteps: ['leave the session out to serve every session'],
    });
  }
  return {
    id: now.id,
    peer,
    origin: grant.origin === undefined ? peer : resolveOrigin(config, grant.origin),
    profile: profile.name,
    closure: profile.closure,
    workspaces: (grant.workspaces ?? []).map((name) => resolveWorkspace(config, name)),
    issuedBy: grant.issuedBy,
    expiresAtMs,
    maxExpiresAtMs: now.nowMs + config.leases.maxMs,
    ...(grant.session === undefined ? {} : { session: grant.session }),
    ...(grant.maxUses === undefined ? {} : { maxUses: grant.maxUses }),
  };
}

/**
 * Until when a lease would live after a renewal from now on. Throws NOT_FOUND for none, EXPIRED or LEASE_REVOKED for a
 * dead one, BAD_REQUEST for a time past the lease's own maximum or before its end.
 */
export function planRenewal(
  lease: Lease | undefined,
  renewal: LeaseSpan & { readonly lease: string },
  nowMs: number,
): { readonly lease: Lease; readonly expiresAtMs: number } {
  if (lease === undefined) {
    throw new WritError('NOT_FOUND', `no lease ${quote(renewal.lease)}`, { nextSteps: ['list them: writ lease list'] });
  }
  const expiresAtMs = endOf(renewal, nowMs);
  const isRevoked = lease.revokedAtMs !== undefined;
  if (isRevoked || lease.expiresAtMs <= nowMs) {
    // INVARIANT: 4 a dead lease never becomes live again.
    throw new WritError(isRevoked ? 'LEASE_REVOKED' : 'EXPIRED', 'a lease that has ended is not renewed', {
      nextSteps: ['lend anew: writ lease grant'],
    });
  }
  if (expiresAtMs > lease.maxExpiresAtMs) {
    const most = formatDuration(lease.maxExpiresAtMs - nowMs);
    throw new WritError('BAD_REQUEST', `a lease is not renewed past its own maximum, ${most} from now`, {
      nextSteps: [`renew it for at most ${most}, or lend anew`],
    });
  }
  if (expiresAtMs <= lease.expiresAtMs) {
    throw new WritError('BAD_REQUEST', `the lease lives for ${formatDuration(lease.expiresAtMs - nowMs)} as it is`, {
      nextSteps: ['renew it for longer than that, or leave it'],
    });
  }
  return { lease, expiresAtMs };
}

/** When what is lent now ends. Throws BAD_REQUEST, and EXPIRED for an end that has passed. */
function endOf({ durationMs, endsAtMs }: LeaseSpan, nowMs: number): number {
  if (durationMs !== undefined) {
    checkCount('duration', durationMs);
    return nowMs + durationMs;
  }
  checkCount('end', endsAtMs);
  if (endsAtMs > nowMs) return endsAtMs;
  throw new WritError('EXPIRED', `the lease would end at ${new Date(endsAtMs).toISOString()}, which has passed`, {
    nextSteps: ['lend anew, until a later time'],
  });
}

/** Whether `name` is the label or id of a peer, or `self`. */
export function isConfigured(config: Config, name: string): boolean {
  return findNode(config, name) !== undefined;
}

/** Node id of a peer named by label or id; `self` stands for itself. Throws PEER_UNKNOWN. */
export function resolvePeer(config: Config, name: string): string {
  const id = findNode(config, name);
  if (id !== undefined) return id;
  const guess = nearest(name, [SELF, ...config.peers.keys()]);
  throw new WritError('PEER_UNKNOWN', `no peer ${quote(name)} is configured here`, {
    nextSteps: [guess ? `did you mean ${quote(guess)}` : 'list the peers: writ peer list'],
  });
}

function resolveOrigin(config: Config, name: string): string {
  const id = findNode(config, name) ?? config.origins.get(foldName(name) ?? '');
  const byId = [...config.origins.values()].find((known) => known === foldId(name));
  const found = id ?? byId;
  if (found !== undefined) return found;
  throw new WritError('PEER_UNKNOWN', `no origin ${quote(name)} is configured here`, {
    nextSteps: ['name a peer, or a label of [origins]'],
  });
}

function findNode(config: Config, name: string): string | undefined {
  const folded = foldId(name);
  if (folded === SELF) return SELF;
  const byLabel = config.peers.get(foldName(name) ?? '');
  return byLabel?.id ?? [...config.peers.values()].find((peer) => peer.id === folded)?.id;
}

function resolveProfile(config: Config, name: string): Profile {
  const profile = config.profiles.get(foldName(name) ?? '');
  if (profile !== undefined) return profile;
  throw new WritError('PROFILE_UNKNOWN', `no profile ${quote(name)} is configured here`, {
    nextSteps: [suggest(name, [...config.profiles.keys()])],
  });
}

function resolveWorkspace(config: Config, name: string): string {
  const workspace = config.workspaces.get(foldName(name) ?? '');
  if (workspace !== undefined) return workspace.name;
  throw new WritError('NOT_FOUND', `no workspace ${quote(name)} is configured here`, {
    nextSteps: [suggest(name, [...config.workspaces.keys()])],
  });
}

function suggest(name: string, known: readonly string[]): string {
  const guess = nearest(name, known);
  if (guess !== undefined) return `did you mean ${quote(guess)}`;
  return known.length === 0 ? 'configure one in writ.toml' : `name one of: ${known.slice(0, 20).join(', ')}`;
}

function checkCount(what: string, value: number): void {
  if (Number.isSafeInteger(value) && value > 0) return;
  throw new WritError('BAD_REQUEST', `the ${what} of a lease is no usable number`, {
    nextSteps: ['give a whole number above zero'],
  });
}
