import { formatSize, WritError } from '@writ/core';
import { createTurns, type Door, turnOf } from './turns.ts';
import type { Caller } from './types.ts';

/** Of messages that have not come whole yet, of one caller over all its connections, bytes: four of the largest. */
const MOST_COMING_BYTES = 16 * 1024 * 1024;
/** Of requests that are not answered yet, likewise: eight of the largest. */
const MOST_OPEN_BYTES = 32 * 1024 * 1024;
/** What small ones may take beside that, so that the large ones of a caller do not keep it from ending what it began. */
const MORE_SMALL_BYTES = 8 * 1024 * 1024;
/** What an open request takes besides its own bytes, at the least: what it was read into, and what waits for its answer. */
const OPEN_BYTES = 16 * 1024;
/** Of answers that nobody has taken yet, likewise: those to several calls for the largest artifacts. */
const MOST_UNTAKEN_BYTES = 64 * 1024 * 1024;
/** Of one message or answer, what is not counted: how many connections there are is bounded. */
const SMALL_BYTES = 64 * 1024;

/** What is kept of one message while it comes, or of one answer until it is taken. */
export interface Held {
  /** How many bytes there are of it now; what began first makes room where that is too much. */
  set(bytes: number): void;
}

/** The way in of everything that a caller sends, and out of what it is answered. */
export interface Entrance {
  /** Resolves when its next piece may be worked on, see `Turns`. */
  turn(): Promise<void>;
  /**
   * Counts what is kept of a message; set it to nothing when it is over, however it ends. `makeRoom` is called once, where
   * others need the room: who sends at all is done before anybody does.
   */
  hold(makeRoom: () => void): Held;
  /**
   * Counts a request of so many bytes (`jsonWeight`) until what is returned is called; calling that again does nothing. Throws RATE_LIMITED where
   * too much of this caller's is open: a request is kept whole for as long as it runs, and some wait for minutes. Small ones have more room than large
   * ones. At the person's own door none of them is refused: each has a connection of its own there, so that there are as many as connections.
   */
  open(bytes: number): () => void;
  /** Counts what lies there of an answer, as `hold` does: whoever reads slowest ends, if at all. */
  keep(makeRoom: () => void): Held;
}

/** The entrance of each caller. */
export type Entrances = (caller: Caller, door: Door) => Entrance;

/** Those of one node. */
export function createEntrances(): Entrances {
  const turns = createTurns();
  const coming = createRooms(MOST_COMING_BYTES);
  const untaken = createRooms(MOST_UNTAKEN_BYTES);
  const open = new Map<string, number>();
  const openMore = (who: string, bytes: number, mostBytes = Number.POSITIVE_INFINITY): void => {
    const all = (open.get(who) ?? 0) + bytes;
    if (all > mostBytes) throw tooMuchOpen(mostBytes);
    if (all > 0) open.set(who, all);
    else open.delete(who);
  };
  return (caller, door) => {
    const who = turnOf(caller, door);
    return {
      turn: () => turns.next(who),
      hold: (makeRoom) => coming(who, makeRoom),
      keep: (makeRoom) => untaken(who, makeRoom),
      open(bytes) {
        let counted = bytes + OPEN_BYTES;
        openMore(who, counted, mostOpenBytes(bytes, caller, door));
        return () => {
          openMore(who, -counted);
          counted = 0;
        };
      },
    };
  };
}

/** How much may be open of a caller when it asks for so many bytes more. */
function mostOpenBytes(bytes: number, caller: Caller, door: Door): number {
  if (bytes > SMALL_BYTES) return MOST_OPEN_BYTES;
  if (door === 'control' && caller.kind === 'host') return Number.POSITIVE_INFINITY;
  return MOST_OPEN_BYTES + MORE_SMALL_BYTES;
}

function tooMuchOpen(mostBytes: number): WritError {
  return new WritError('RATE_LIMITED', `requests of more than ${formatSize(mostBytes)} are open`, {
    nextSteps: ['wait for their answers, then send it again'],
  });
}

/** One room a caller, for so many bytes each. */
function createRooms(mostBytes: number): (who: string, makeRoom: () => void) => Held {
  const rooms = new Map<string, Room>();
  return (who, makeRoom) => {
    const message = { bytes: 0, makeRoom };
    return {
      set(bytes) {
        const room = rooms.get(who) ?? createRoom(mostBytes);
        room.set(message, bytes > SMALL_BYTES ? bytes : 0);
        if (room.isEmpty()) rooms.delete(who);
        else rooms.set(who, room);
      },
    };
  };
}

interface Message {
  bytes: number;
  readonly makeRoom: () => void;
}

interface Room {
  set(message: Message, bytes: number): void;
  isEmpty(): boolean;
}

/** What one caller has under way, the oldest first. */
function createRoom(mostBytes: number): Room {
  const messages = new Set<Message>();
  let all = 0;
  const set = (message: Message, bytes: number): void => {
    all += bytes - message.bytes;
    message.bytes = bytes;
    if (bytes > 0) messages.add(message);
    else messages.delete(message);
  };
  return {
    isEmpty: () => messages.size === 0,
    set(message, bytes) {
      set(message, bytes);
      for (const oldest of messages) {
        if (all <= mostBytes) return;
        if (oldest === message) continue;
        set(oldest, 0);
        oldest.makeRoom();
      }
    },
  };
}
