import type { Socket } from 'node:net';
import type { MeshLimits } from '../limits.ts';
import { connectionKey } from './connections.ts';

/** The places for connections of one listener, taken from the first packet on: a handshake takes one too. */
export interface Places {
  /**
   * Gives a connection a place. Where there is none, the oldest one that has proved nothing makes way: of the same
   * address where that has too many, else of any. False, and the new one is destroyed, where none can.
   */
  take(socket: Socket): boolean;
}

interface Place {
  readonly key: string;
  readonly address: string;
  readonly socket: Socket;
}

/** `isIdle`: whether the connection of a key, which may not have finished its handshake, proved nothing so far. */
export function createPlaces(
  limits: Pick<MeshLimits, 'maxConnections' | 'maxConnectionsPerAddress' | 'maxUnproven'>,
  isIdle: (key: string) => boolean,
): Places {
  const places = new Map<string, Place>();

  function leave(place: Place): void {
    if (places.get(place.key) === place) places.delete(place.key);
  }

  function makeWay(place: Place | undefined): boolean {
    if (place === undefined) return false;
    leave(place);
    place.socket.destroy();
    return true;
  }

  function hasRoom(address: string): boolean {
    // In the order in which they came.
    const all = [...places.values()];
    const idle = all.filter(({ key }) => isIdle(key));
    const isSame = (place: Place): boolean => place.address === address;
    if (all.filter(isSame).length >= limits.maxConnectionsPerAddress) return makeWay(idle.find(isSame));
    if (all.length >= limits.maxConnections || idle.length >= limits.maxUnproven) return makeWay(idle[0]);
    return true;
  }

  return {
    take(socket) {
      const key = connectionKey(socket);
      const { remoteAddress: address } = socket;
      if (key === undefined || address === undefined || !hasRoom(address)) {
        socket.destroy();
        return false;
      }
      const place: Place = { key, address, socket };
      places.set(key, place);
      socket.once('close', () => leave(place));
      return true;
    },
  };
}
