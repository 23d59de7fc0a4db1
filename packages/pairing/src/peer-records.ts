import { createRwLock, foldName, quote, WritError } from '@writ/core';
import { type Pin, parseNodeId } from '@writ/identity';
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
  /** All of it or nothing. Throws CONFLICT where the node is a peer already. */
  admit(admission: Admission): Promise<Admitted>;
  remove(labelOrId: string): Promise<{ readonly label: string; readonly generation: number }>;
  /** Throws CONFLICT where `id` is this node itself or a peer already. */
  refuseKnown(id: string): void;
}

type Options = Pick<
  PairingOptions,
  'identity' | 'pins' | 'database' | 'authority' | 'engine' | 'config' | 'edits' | 'logger'
>;

export function createPeerRecords(options: Options): PeerRecords {
  const lock = createRwLock();
  const refuseKnown = (id: string): void => {
    if (id === options.identity.public.id) throw new WritError('CONFLICT', 'a node cannot pair with itself');
    const known = findPeer(options, id);
    if (known === undefined) return;
    throw new WritError('CONFLICT', `already a peer, as ${quote(known.label)}`, {
      nextSteps: [`writ peer remove ${known.label}, then pair again`],
    });
  };
  return {
    refuseKnown,
    admit: (admission) =>
      lock.write(() => {
        refuseKnown(admission.pin.id);
        return admitLocked(options, admission);
      }),
    remove: (labelOrId) => lock.write(() => removeLocked(options, labelOrId)),
  };
}

async function admitLocked(options: Options, admission: Admission): Promise<Admitted> {
  const { pins, config, edits, engine } = options;
  const { id } = admission.pin;
  const label = chooseLabel(admission.name, engine.snapshot().config);
  const granted: string[] = [];
  let isConfigured = false;
  await pins.put(admission.pin);
  try {
    const { generation } = await config.edit((text) => edits.addPeer(text, { ...admission.peer, label, id }));
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
      ...granted.map((lease) => () => options.authority.revokeLease(lease, 'node')),
      ...(isConfigured ? [() => config.edit((text) => edits.removePeer(text, label))] : []),
    ]);
    throw error;
  }
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
      workspaces: admission.peer.workspaces,
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

/** Takes back every step; the pin always goes, whatever else fails, since it is what lets the peer in. */
async function undo(options: Options, id: string, steps: readonly (() => unknown)[]): Promise<void> {
  for (const step of [() => options.pins.remove(id), ...steps]) {
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
  // Trust ends first: whatever happens to the file, the peer is out.
  await pins.remove(peerId);
  for (const lease of authority.listLeases({ peer: peerId })) authority.revokeLease(lease.id, 'person');
  database.withWriteTx((tx) =>
    tx.audit({ kind: 'peer', action: 'peer.removed', actor: 'person', subject: peerId, details: { label } }),
  );
  if (known === undefined) return { label, generation: engine.snapshot().generation };
  const { generation } = await config.edit((text) => edits.removePeer(text, label));
  return { label, generation };
}

function findPeer(options: Options, labelOrId: string): PeerConfig | undefined {
  const { peers } = options.engine.snapshot().config;
  const id = parseNodeId(labelOrId);
  if (id !== undefined) return [...peers.values()].find((peer) => peer.id === id);
  return peers.get(foldName(labelOrId) ?? '');
}
