import { createRwLock, foldName, parseNodeId, quote, toWritError, WritError } from '@writ/core';
import type { Pin } from '@writ/identity';
import type { PeerConfig, PeerEntry } from '@writ/policy';
import type { PairingOptions } from './options.ts';
import { chooseLabel } from './peer-label.ts';

/** A peer to be stored; the label is chosen while it is. */
export interface Admission {
  readonly pin: Pin;
  /** What the peer calls itself. */
  readonly name: string;
  readonly peer: Pick<PeerEntry, 'address' | 'profiles' | 'workspaces'> & Required<Pick<PeerEntry, 'outbound'>>;
  /** Lease on each of its profiles that needs one, milliseconds. */
  readonly leaseMs?: number;
  /** For the audit: how it came. */
  readonly via: 'invite' | 'join';
}

export interface Admitted {
  readonly label: string;
  readonly generation: number;
  /** Present where a lease was granted. */
  readonly leaseMs?: number;
}

/** The one place that makes and unmakes a peer: pin, configuration, leases and audit together. */
export interface PeerRecords {
  /** All of it or nothing. A node that is a peer already keeps what it has and gets what the admission adds. */
  admit(admission: Admission): Promise<Admitted>;
  remove(labelOrId: string): Promise<{ readonly label: string; readonly generation: number }>;
  /** Throws CONFLICT where `id` is this node itself. */
  refuseSelf(id: string): void;
  /** The label that a node has here, or will get. */
  labelOf(id: string, name: string): string;
}

type Options = Pick<
  PairingOptions,
  'identity' | 'pins' | 'database' | 'authority' | 'engine' | 'config' | 'edits' | 'endWork' | 'logger'
>;

export function createPeerRecords(options: Options): PeerRecords {
  const lock = createRwLock();
  const refuseSelf = (id: string): void => {
    if (id === options.identity.public.id) throw new WritError('CONFLICT', 'a node cannot pair with itself');
  };
  return {
    refuseSelf,
    labelOf: (id, name) => labelOf(options, id, name),
    admit: (admission) =>
      lock.write(() => {
        refuseSelf(admission.pin.id);
        return admitLocked(options, admission);
      }),
    remove: (labelOrId) => lock.write(() => removeLocked(options, labelOrId)),
  };
}

function labelOf(options: Options, id: string, name: string): string {
  return findPeer(options, id)?.label ?? chooseLabel(name, options.engine.snapshot().config);
}

async function admitLocked(options: Options, admission: Admission): Promise<Admitted> {
  const { pins, config } = options;
  const { id } = admission.pin;
  const label = labelOf(options, id, admission.name);
  const entry = entryEdits(options, admission, label);
  const granted: string[] = [];
  let isConfigured = false;
  await pins.put(admission.pin);
  try {
    const { generation } = await config.edit(entry.write);
    isConfigured = true;
    if (findPeer(options, id) === undefined) {
      throw new WritError('CONFIG_INVALID', 'the configuration with the new peer is not in force', {
        nextSteps: ['writ policy status'],
      });
    }
    grantLeases(options, admission, granted);
    options.database.withWriteTx((tx) =>
      tx.audit({
        kind: 'peer',
        action: 'peer.paired',
        actor: 'person',
        subject: id,
        details: { label, via: admission.via, ...grantedDetails(admission) },
      }),
    );
    return { label, generation, ...(granted.length > 0 ? { leaseMs: admission.leaseMs } : {}) };
  } catch (error) {
    await undo(options, id, [
      // The pin goes first, whatever else fails, since it is what lets a new peer in.
      ...(entry.isNew ? [() => pins.remove(id)] : []),
      ...granted.map((lease) => () => options.authority.revokeLease(lease, 'node')),
      ...(isConfigured ? [() => config.takeAway(entry.takeBack)] : []),
    ]);
    throw error;
  }
}

/** How the peer's table is written, and how that is taken back. */
function entryEdits({ edits, engine }: Options, { peer, pin }: Admission, label: string) {
  const known = engine.snapshot().config.peers.get(label);
  if (known === undefined) {
    return {
      isNew: true,
      write: (text: string) => edits.addPeer(text, { ...peer, label, id: pin.id }),
      takeBack: (text: string) => edits.removePeer(text, label),
    };
  }
  const { profiles, workspaces, outbound } = known;
  const more = {
    profiles: union(profiles, peer.profiles),
    workspaces: union(workspaces, peer.workspaces),
    outbound: {
      profiles: union(outbound.profiles, peer.outbound.profiles),
      workspaces: union(outbound.workspaces, peer.outbound.workspaces),
    },
    ...(peer.address === undefined ? {} : { address: peer.address }),
  };
  return {
    isNew: false,
    write: (text: string) => edits.updatePeer(text, label, more),
    takeBack: (text: string) => edits.updatePeer(text, label, { profiles, workspaces, outbound }),
  };
}

function union(before: readonly string[], more: readonly string[]): readonly string[] {
  return [...new Set([...before, ...more])];
}

function grantLeases(options: Options, admission: Admission, granted: string[]): void {
  if (admission.leaseMs === undefined) return;
  const { profiles } = options.engine.snapshot().config;
  for (const profile of admission.peer.profiles) {
    if (!profiles.get(profile)?.requireLease) continue;
    const lease = options.authority.grantLease({
      peer: admission.pin.id,
      profile,
      durationMs: admission.leaseMs,
      // None named is what the peer has, and that is none as yet.
      ...(admission.peer.workspaces.length === 0 ? {} : { workspaces: admission.peer.workspaces }),
      issuedBy: 'person',
    });
    granted.push(lease.id);
  }
}

function grantedDetails({ peer, leaseMs }: Admission) {
  return {
    profiles: [...peer.profiles],
    workspaces: [...peer.workspaces],
    outbound: { profiles: [...peer.outbound.profiles], workspaces: [...peer.outbound.workspaces] },
    ...(leaseMs === undefined ? {} : { leaseMs }),
  };
}

/** Takes back every step, also where one of them fails. */
async function undo(options: Options, id: string, steps: readonly (() => unknown)[]): Promise<void> {
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      options.logger.error('could not take back a step of a pairing that failed', { peer: id, error: String(error) });
    }
  }
}

async function removeLocked(options: Options, labelOrId: string) {
  const { pins, authority, config, edits, engine, database } = options;
  const id = parseNodeId(labelOrId);
  const known = findPeer(options, labelOrId);
  const peerId = known?.id ?? id;
  const label = known?.label ?? peerId;
  if (peerId === undefined || label === undefined || (known === undefined && pins.get(peerId) === undefined)) {
    throw new WritError('NOT_FOUND', `no peer ${quote(labelOrId)}`, { nextSteps: ['writ peer list'] });
  }
  // INVARIANT: 2 trust ends first: whatever becomes of the file, the peer is out and its work ends.
  await pins.remove(peerId);
  // Before the leases: what ends now ends because the trust ended.
  const workEnded = options.endWork(peerId);
  for (const lease of authority.listLeases({ peer: peerId })) authority.revokeLease(lease.id, 'person');
  database.withWriteTx((tx) =>
    tx.audit({ kind: 'peer', action: 'peer.removed', actor: 'person', subject: peerId, details: { label } }),
  );
  await workEnded;
  if (known === undefined) return { label, generation: engine.snapshot().generation };
  try {
    const { generation } = await config.takeAway((text) => edits.removePeer(text, label));
    return { label, generation };
  } catch (error) {
    const { message } = toWritError(error);
    throw new WritError(
      'CONFIG_INVALID',
      `trust in ${quote(label)} has ended, but writ.toml still names it: ${message}`,
      {
        nextSteps: [`take [peers.${label}] out of writ.toml`, 'writ policy validate'],
        cause: error,
      },
    );
  }
}

function findPeer(options: Options, labelOrId: string): PeerConfig | undefined {
  const { peers } = options.engine.snapshot().config;
  const id = parseNodeId(labelOrId);
  if (id !== undefined) return [...peers.values()].find((peer) => peer.id === id);
  return peers.get(foldName(labelOrId) ?? '');
}
