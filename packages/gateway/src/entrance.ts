import { formatSize, WritError } from '@writ/core';
import { createTurns, turnOf } from './turns.ts';
import type { Caller } from './types.ts';

/** Of messages that have not come whole yet, of one caller over all its connections, bytes: four of the largest. */
const MOST_HELD_BYTES = 16 * 1024 * 1024;

/** What is kept of one message while it comes. */
export interface Held {
  /** How many bytes there are of it now. Throws RATE_LIMITED where its caller has too much of others. */
  set(bytes: number): void;
}

/** The way in of everything that a caller sends. */
export interface Entrance {
  /** Resolves when its next piece may be worked on, see `Turns`. */
  turn(): Promise<void>;
  /** Counts what is kept of a message; set it to nothing when it is over, however it ends. */
  hold(): Held;
}

/** The entrance of each caller; `door`: the agents of this machine and its person come in by different ones. */
export type Entrances = (caller: Caller, door: 'mcp' | 'control') => Entrance;

/** Those of one node. */
export function createEntrances(): Entrances {
  const turns = createTurns();
  const heldBy = new Map<string, number>();
  return (caller, door) => {
    const who = turnOf(caller, door);
    return {
      turn: () => turns.next(who),
      hold() {
        let mine = 0;
        return {
          set(bytes) {
            const all = (heldBy.get(who) ?? 0) - mine + bytes;
            if (bytes > mine && all > MOST_HELD_BYTES) throw tooMuch();
            mine = bytes;
            if (all > 0) heldBy.set(who, all);
            else heldBy.delete(who);
          },
        };
      },
    };
  };
}

function tooMuch(): WritError {
  const most = formatSize(MOST_HELD_BYTES);
  return new WritError('RATE_LIMITED', `more than ${most} of messages that have not come whole are sent at once`, {
    nextSteps: ['send fewer large messages at once'],
  });
}
