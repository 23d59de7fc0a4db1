import { foldName, Mutex, parseNodeId, quote, toWritError, WritError } from '@writ/core';
import type { WriteTx } from '@writ/database';
import type { Pin } from '@writ/identity';
import type { PeerConfig, PeerEntry } from '@writ/policy';
import type { PeerParts } from './options.ts';
import { writeEntry } from './peer-entry.ts';
import { type Admitting, forget, logUnsettled, settle, settleAll, storeRemoved, takeBack } from './peer-intents.ts';
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

/**
 * The one place that makes and unmakes a peer: pin, configuration, leases and audit together. What is about to be done
 * is stored before the first file and struck out with the last row, so that a start settles what a kill has cut off.
 */
export interface PeerRecords {
  /** All of it or nothing. A node that is a peer already keeps what it has and gets what the admission adds. */
  admit(admission: Admission): Promise<Admitted>;
  remove(labelOrId: string): Promise<{ readonly label: string; readonly generation: number }>;
  /** See `Pairing.recover`. */
  recover(): Promise<number>;
  /** Throws CONFLICT where `id` is this node itself. */
  refuseSelf(id: string): void;
  /** The label that a node has here, or will get. */
  labelOf(id: string, name: string): string;
}

export function createPeerRecords(parts: PeerParts): PeerRecords {
  const turn = new Mutex();
  const refuseSelf = (id: string): void => {
    if (id === parts.identity.public.id) throw new WritError('CONFLICT', 'a node cannot pair with itself');
  };
  return {
    refuseSelf,
    labelOf: (id, name) => labelOf(parts, id, name),
    admit: (admission) =>
      turn.runExclusive(() => {
        refuseSelf(admission.pin.id);
        return admit(parts, admission);
      }),
    remove: (labelOrId) => turn.runExclusive(() => remove(parts, labelOrId)),
    recover: () => turn.runExclusive(() => settleAll(parts)),
  };
}

function labelOf(parts: PeerParts, id: string, name: string): string {
  return findPeer(parts, id)?.label ?? chooseLabel(name, parts.engine.snapshot().config);
}

async function admit(parts: PeerParts, admission: Admission): Promise<Admitted> {
  const { pins, config, edits, database, intents } = parts;
  const { pin, name, peer } = admission;
  await settle(parts, pin.id);
  let intent: Admitting = { kind: 'admit', isNew: findPeer(parts, pin.id) === undefined };
  const note = (next: Admitting): void => {
    database.withWriteTx((tx) => intents.set(tx, pin.id, next));
    intent = next;
  };
  note(intent);
  try {
    await pins.put(pin);
    let label = '';
    const { generation } = await config.edit((text) => {
      const entry = writeEntry(edits, text, { ...peer, id: pin.id, label: labelOf(parts, pin.id, name) });
      note({ ...intent, added: entry.added });
      label = entry.label;
      return entry.text;
    });
    if (findPeer(parts, pin.id) === undefined) {
      throw new WritError('CONFIG_INVALID', 'the configuration with the new peer is not in force', {
        nextSteps: ['writ policy status'],
      });
    }
    const hasLease = database.withWriteTx((tx) => storeAdmitted(parts, tx, admission, label));
    return { label, generation, ...(hasLease ? { leaseMs: admission.leaseMs } : {}) };
  } catch (error) {
    await takeBack(parts, pin.id, intent).catch((fault: unknown) => logUnsettled(parts, pin.id, fault));
    throw error;
  }
}

/**
 * INVARIANT: 10 a peer that is one has its row and its leases: they commit with the end of the intent.
 * True where a lease was granted.
 */
function storeAdmitted(parts: PeerParts, tx: WriteTx, admission: Admission, label: string): boolean {
  const { pin, peer, leaseMs, via } = admission;
  const hasLease = leaseMs !== undefined && grantLeases(parts, tx, admission, leaseMs);
  tx.audit({
    kind: 'peer',
    action: 'peer.paired',
    actor: 'person',
    subject: pin.id,
    details: {
      label,
      via,
      profiles: [...peer.profiles],
      workspaces: [...peer.workspaces],
      outbound: { profiles: [...peer.outbound.profiles], workspaces: [...peer.outbound.workspaces] },
      ...(leaseMs === undefined ? {} : { leaseMs }),
    },
  });
  parts.intents.remove(tx, pin.id);
  return hasLease;
}

function grantLeases({ engine, authority }: PeerParts, tx: WriteTx, { pin, peer }: Admission, durationMs: number) {
  const { profiles } = engine.snapshot().config;
  const needed = peer.profiles.filter((profile) => profiles.get(profile)?.requireLease);
  for (const profile of needed) {
    authority.grantLeaseIn(tx, {
      peer: pin.id,
      profile,
      durationMs,
      // None named is what the peer has, and that is none as yet.
      ...(peer.workspaces.length === 0 ? {} : { workspaces: peer.workspaces }),
      issuedBy: 'person',
    });
  }
  return needed.length > 0;
}

async function remove(parts: PeerParts, labelOrId: string) {
  const { pins, engine, database, intents } = parts;
  const known = findPeer(parts, labelOrId);
  const id = known?.id ?? parseNodeId(labelOrId);
  if (id === undefined || (known === undefined && pins.get(id) === undefined)) {
    throw new WritError('NOT_FOUND', `no peer ${quote(labelOrId)}`, { nextSteps: ['writ peer list'] });
  }
  const label = known?.label ?? id;
  try {
    database.withWriteTx((tx) => intents.set(tx, id, { kind: 'remove', label }));
  } catch (error) {
    // A failing disk must not keep a peer; only a kill in the next moments would leave something of it.
    logUnsettled(parts, id, error);
  }
  // INVARIANT: 2 trust ends first: whatever becomes of the file, the peer is out and its work ends.
  await pins.remove(id);
  // Before the leases: what ends now ends because the trust ended.
  const workEnded = parts.endWork(id);
  storeRemoved(parts, id, label);
  await workEnded;
  if (known === undefined) {
    database.withWriteTx((tx) => intents.remove(tx, id));
    return { label, generation: engine.snapshot().generation };
  }
  try {
    const { generation } = await forget(parts, id);
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

function findPeer({ engine }: PeerParts, labelOrId: string): PeerConfig | undefined {
  const { peers } = engine.snapshot().config;
  const id = parseNodeId(labelOrId);
  if (id !== undefined) return [...peers.values()].find((peer) => peer.id === id);
  return peers.get(foldName(labelOrId) ?? '');
}
