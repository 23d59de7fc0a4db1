import type { TLSSocket } from 'node:tls';
import type { Cancel, Clock } from '@writ/core';
import type { MeshLimits } from '../limits.ts';

/** One TLS connection. */
export interface Connection {
  /** `address:port` of the other end. */
  readonly key: string;
  readonly address: string;
  /** Leaf that the other end presented and has the key of, DER; it proves nobody until it is checked against the pins. */
  readonly leafDer?: Uint8Array;
}

/** The connections of a listener. */
export interface Connections {
  /** Takes a connection over; false, and it is destroyed, where it is one too many. */
  add(socket: TLSSocket): boolean;
  get(key: string): Connection | undefined;
  /** Notes that a peer was served over a connection, so that it lives and can be cut by that peer's id. */
  prove(key: string, peerId: string): void;
  /** Keeps a connection that proved nothing while a call over it goes on; returns how to stop. */
  hold(key: string): () => void;
  /** Destroys, after the grace period for reading why, the connections over which such a peer was served. */
  cutWhere(match: (peerId: string) => boolean): void;
  size(): number;
  /** Resolves when the last one is gone; those left after `graceMs` are destroyed. */
  drain(graceMs: number): Promise<void>;
}

interface Entry extends Connection {
  readonly socket: TLSSocket;
  readonly peers: Set<string>;
  holds: number;
  cancelIdle: Cancel;
}

/** Keeps count of connections and drops those that never prove anything. */
export function createConnections(limits: MeshLimits, clock: Clock): Connections {
  const entries = new Map<string, Entry>();
  const perAddress = new Map<string, number>();
  let whenEmpty: (() => void) | undefined;

  function dropIdleStranger(entry: Entry): void {
    if (entry.peers.size > 0) return;
    if (entry.holds === 0) entry.socket.destroy();
    else entry.cancelIdle = clock.setTimer(limits.strangerIdleMs, () => dropIdleStranger(entry));
  }

  function forget(entry: Entry): void {
    entry.cancelIdle();
    entries.delete(entry.key);
    const left = (perAddress.get(entry.address) ?? 1) - 1;
    if (left > 0) perAddress.set(entry.address, left);
    else perAddress.delete(entry.address);
    if (entries.size === 0) whenEmpty?.();
  }

  return {
    add(socket) {
      const { remoteAddress: address } = socket;
      const count = perAddress.get(address ?? '') ?? 0;
      if (address === undefined || entries.size >= limits.maxConnections || count >= limits.maxConnectionsPerAddress) {
        socket.destroy();
        return false;
      }
      const entry = createEntry(socket, address);
      entry.cancelIdle = clock.setTimer(limits.strangerIdleMs, () => dropIdleStranger(entry));
      entries.set(entry.key, entry);
      perAddress.set(address, count + 1);
      socket.once('close', () => forget(entry));
      return true;
    },
    get: (key) => entries.get(key),
    prove(key, peerId) {
      const entry = entries.get(key);
      if (entry === undefined) return;
      if (entry.peers.size === 0) entry.cancelIdle();
      entry.peers.add(peerId);
    },
    hold(key) {
      const entry = entries.get(key);
      if (entry === undefined) return () => {};
      entry.holds += 1;
      return () => {
        entry.holds -= 1;
      };
    },
    cutWhere(match) {
      for (const { peers, socket } of entries.values()) {
        if ([...peers].some(match)) clock.setTimer(limits.revokedGraceMs, () => socket.destroy());
      }
    },
    size: () => entries.size,
    async drain(graceMs) {
      if (entries.size === 0) return;
      const gone = new Promise<void>((resolve) => {
        whenEmpty = resolve;
      });
      const cancel = clock.setTimer(graceMs, () => {
        for (const { socket } of entries.values()) socket.destroy();
      });
      await gone;
      cancel();
    },
  };
}

function createEntry(socket: TLSSocket, address: string): Entry {
  const leafDer = socket.getPeerX509Certificate()?.raw;
  return {
    key: `${address}:${socket.remotePort}`,
    address,
    socket,
    peers: new Set(),
    holds: 0,
    cancelIdle: () => {},
    ...(leafDer === undefined ? {} : { leafDer }),
  };
}
