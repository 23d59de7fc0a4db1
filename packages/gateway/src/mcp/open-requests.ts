import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { isWritError } from '@writ/core';
import type { Entrance } from '../entrance.ts';
import { busy, invalid, type LineRefusal } from './protocol-line.ts';
import { cancelledId, createUnanswered } from './unanswered.ts';

/** Most requests of one connection that are open at once; more than there may be calls, so that a call can be cancelled. */
const MOST_OPEN = 128;

/** The requests of one connection that are not answered, each counted with all of its caller's. */
export interface OpenRequests {
  /** Takes in a message that came as so many bytes; returns the answer to one that is too many, or could not be told from another. */
  take(message: JSONRPCMessage, bytes: number): LineRefusal | undefined;
  /** Looks at a message on its way out. */
  noteAnswered(message: JSONRPCMessage): void;
  /** How many there are; a stream of changes is not among them: its answer is its end. */
  readonly size: number;
  /** Nothing of this connection is open any more. */
  close(): void;
}

/** None at first. */
export function createOpenRequests(entrance: Pick<Entrance, 'open'>): OpenRequests {
  const unanswered = createUnanswered();
  const leaves = new Map<unknown, () => void>();
  const end = (id: unknown): void => {
    leaves.get(id)?.();
    leaves.delete(id);
  };
  return {
    take(message, bytes) {
      if ('method' in message && 'id' in message) {
        const { id } = message;
        if (leaves.has(id)) return invalid('a request with this id is open', null);
        if (unanswered.size >= MOST_OPEN) return busy(`more than ${MOST_OPEN} requests are open`, id);
        try {
          leaves.set(id, entrance.open(bytes));
        } catch (error) {
          if (!isWritError(error)) throw error;
          return busy(error.message, id);
        }
      }
      const cancelled = cancelledId(message);
      if (cancelled !== undefined) end(cancelled);
      unanswered.noteAsked(message);
      return undefined;
    },
    noteAnswered(message) {
      unanswered.noteAnswered(message);
      if (!('method' in message) && 'id' in message) end(message.id);
    },
    get size() {
      return unanswered.size;
    },
    close() {
      for (const id of [...leaves.keys()]) end(id);
    },
  };
}
