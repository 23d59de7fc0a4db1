import { createTurns, type Door, turnOf } from './turns.ts';
import type { Caller } from './types.ts';

/** Of messages that have not come whole yet, of one caller over all its connections, bytes: four of the largest. */
const MOST_HELD_BYTES = 16 * 1024 * 1024;
/** Of one message, what is not counted: how many connections there are is bounded. */
const SMALL_BYTES = 64 * 1024;

/** What is kept of one message while it comes. */
export interface Held {
  /** How many bytes there are of it now; what began first makes room where that is too much. */
  set(bytes: number): void;
}

/** The way in of everything that a caller sends. */
export interface Entrance {
  /** Resolves when its next piece may be worked on, see `Turns`. */
  turn(): Promise<void>;
  /**
   * Counts what is kept of a message; set it to nothing when it is over, however it ends. `makeRoom` is called once, where
   * others need the room: who sends at all is done before anybody does.
   */
  hold(makeRoom: () => void): Held;
}

/** The entrance of each caller. */
export type Entrances = (caller: Caller, door: Door) => Entrance;

/** Those of one node. */
export function createEntrances(): Entrances {
  const turns = createTurns();
  const rooms = new Map<string, Room>();
  return (caller, door) => {
    const who = turnOf(caller, door);
    return {
      turn: () => turns.next(who),
      hold(makeRoom) {
        const message = { bytes: 0, makeRoom };
        return {
          set(bytes) {
            const room = rooms.get(who) ?? createRoom();
            room.set(message, bytes > SMALL_BYTES ? bytes : 0);
            if (room.isEmpty()) rooms.delete(who);
            else rooms.set(who, room);
          },
        };
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
function createRoom(): Room {
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
        if (all <= MOST_HELD_BYTES) return;
        if (oldest === message) continue;
        set(oldest, 0);
        oldest.makeRoom();
      }
    },
  };
}
