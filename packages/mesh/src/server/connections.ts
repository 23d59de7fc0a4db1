import type { TLSSocket } from 'node:tls';
import type { Cancel, Clock } from '@writ/core';
import type { MeshLimits } from '../limits.ts';

/** One TLS connection. */
export interface Connection {
  /** What `connectionKey` makes of both its ends. */
  readonly key: string;
  readonly address: string;
  /** Leaf that the other end presented and has the key of, DER; it proves nobody until it is checked against the pins. */
  readonly leafDer?: Uint8Array;
}

/** Both ends of a connection, as a socket and the gRPC library name them. */
export interface ConnectionEnds {
  readonly localAddress?: string | undefined;
  readonly localPort?: number | undefined;
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
}

/**
 * Which connection this is; undefined where an end is not known, as of a closed one. INVARIANT: 3 of both ends: two
 * live connections may come from one remote port, towards two addresses of this machine, and be two callers.
 */
export function connectionKey(ends: ConnectionEnds): string | undefined {
  const parts = [ends.remoteAddress, ends.remotePort, ends.localAddress, ends.localPort];
  return parts.includes(undefined) ? undefined : parts.join(' ');
}

/** The connections of a listener. */
export interface Connections {
  /** Takes a connection over once it is encrypted; false, and it is destroyed, where it is closed already. */
  add(socket: TLSSocket): boolean;
  get(key: string): Connection | undefined;
  /** Notes that a peer was served over a connection, so that it lives and can be cut by that peer's id. */
  prove(key: string, peerId: string): void;
  /** Keeps a connection that proved nothing while a call over it goes on; returns how to stop. */
  hold(key: string): () => void;
  /** Destroys, after the grace period for reading why, the connections over which such a peer was served. */
  cutWhere(match: (peerId: string) => boolean): void;
  /** True for one that may make way for another: it serves no peer, and no call holds it. */
  isIdle(key: string): boolean;
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
  let whenEmpty: (() => void) | undefined;

  function dropIdleStranger(entry: Entry): void {
    if (entry.peers.size > 0) return;
    if (entry.holds === 0) entry.socket.destroy();
    else entry.cancelIdle = clock.setTimer(limits.strangerIdleMs, () => dropIdleStranger(entry));
  }

  function forget(entry: Entry): void {
    entry.cancelIdle();
    if (entries.get(entry.key) === entry) entries.delete(entry.key);
    if (entries.size === 0) whenEmpty?.();
  }

  return {
    add(socket) {
      const { remoteAddress: address } = socket;
      const key = connectionKey(socket);
      if (address === undefined || key === undefined || entries.has(key)) {
        socket.destroy();
        return false;
      }
      const entry = createEntry(socket, key, address);
      entry.cancelIdle = clock.setTimer(limits.strangerIdleMs, () => dropIdleStranger(entry));
      entries.set(entry.key, entry);
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
    isIdle(key) {
      const entry = entries.get(key);
      return entry === undefined || (entry.peers.size === 0 && entry.holds === 0);
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

function createEntry(socket: TLSSocket, key: string, address: string): Entry {
  const leafDer = socket.getPeerX509Certificate()?.raw;
  return {
    key,
    address,
    socket,
    peers: new Set(),
    holds: 0,
    cancelIdle: () => {},
    ...(leafDer === undefined ? {} : { leafDer }),
  };
}
