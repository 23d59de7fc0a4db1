import { foldName, formatDuration, nearest, quote, WritError } from '@writ/core';
import { encodeInviteCode, INVITE_SECRET_BYTES, isMeshAddress, pairingKey } from '@writ/identity';
import type { PairingOptions } from './options.ts';
import type { Invite, InviteOffer } from './types.ts';

/** How long a code works, milliseconds. */
const INVITE_LIFETIME_MS = 600_000;
/** Invites open at once. */
const MOST_OPEN = 16;

/** Checks the offer against the configuration in force, stores the invite and gives its code. */
export function createInvite(options: PairingOptions, asked: InviteOffer): Invite {
  const address = asked.address ?? options.address();
  if (address !== undefined && !isMeshAddress(address)) {
    throw new WritError('BAD_REQUEST', `${quote(address)} is no address`, {
      nextSteps: ['write it like gpu-box.lan:7420'],
    });
  }
  if (address === undefined) {
    throw new WritError('BAD_REQUEST', 'this node has no mesh address that a peer could dial', {
      nextSteps: ['set `listen` under `[node]` in writ.toml, and restart the node'],
    });
  }
  const offer = checkOffer(options, asked);
  const { database, invites, random, identity } = options;
  if (database.clockIsBackwards()) throw new WritError('CLOCK_BACKWARDS', 'the clock of this machine went back');
  const secret = random.bytes(INVITE_SECRET_BYTES);
  const id = random.uuid();
  return database.withWriteTx((tx) => {
    if (invites.listOpen(tx, tx.nowMs).length >= MOST_OPEN) {
      throw new WritError('RATE_LIMITED', `there are ${MOST_OPEN} open invites already`, {
        nextSteps: [`wait until one expires; each does after ${formatDuration(INVITE_LIFETIME_MS)}`],
      });
    }
    // A code knows whole seconds; the store must not know more.
    const expiresAtMs = Math.floor((tx.nowMs + INVITE_LIFETIME_MS) / 1000) * 1000;
    const code = encodeInviteCode({ address, id: identity.public.id, invite: id, secret, expiresAtMs });
    const secretHash = Buffer.from(pairingKey(secret)).toString('hex');
    invites.insert(tx, { id, secretHash, ...offer, expiresAtMs });
    tx.audit({ kind: 'invite', action: 'invite.created', actor: 'person', subject: id, details: { ...offer } });
    return { id, code, expiresAtMs };
  });
}

/** The offer with folded names; a name that is not configured is refused with the nearest that is. */
function checkOffer(options: PairingOptions, offer: InviteOffer) {
  const { config } = options.engine.snapshot();
  const { leaseMs } = offer;
  if (leaseMs !== undefined && !(Number.isSafeInteger(leaseMs) && leaseMs > 0 && leaseMs <= config.leases.maxMs)) {
    throw new WritError('BAD_REQUEST', `a lease may last ${formatDuration(config.leases.maxMs)} at most`);
  }
  return {
    profiles: offer.profiles.map((name) => known('profile', name, config.profiles)).filter(isFirst),
    workspaces: offer.workspaces.map((name) => known('workspace', name, config.workspaces)).filter(isFirst),
    ...(leaseMs === undefined ? {} : { leaseMs }),
  };
}

function known(kind: string, input: string, configured: ReadonlyMap<string, unknown>): string {
  const name = foldName(input);
  if (name !== undefined && configured.has(name)) return name;
  const close = nearest(input, [...configured.keys()]);
  const names = [...configured.keys()].join(', ') || 'none';
  throw new WritError('BAD_REQUEST', `no ${kind} ${quote(input)} is configured`, {
    nextSteps: [close === undefined ? `configured: ${names}` : `did you mean ${quote(close)}`],
  });
}

function isFirst(name: string, at: number, all: readonly string[]): boolean {
  return all.indexOf(name) === at;
}
