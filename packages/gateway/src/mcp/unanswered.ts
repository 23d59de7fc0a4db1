import { isRecord } from './record.ts';

/** The requests of one end of a connection that the other end has not answered. */
export interface Unanswered {
  /** Looks at a message of whoever asks. */
  noteAsked(message: unknown): void;
  /** Looks at a message of whoever answers. */
  noteAnswered(message: unknown): void;
  has(id: unknown): boolean;
  readonly size: number;
  /** Their ids, the oldest first. */
  ids(): readonly (string | number)[];
}

/** None at first. A stream of changes is not among them: its answer is its end. */
export function createUnanswered(): Unanswered {
  const open = new Set<unknown>();
  return {
    noteAsked(message) {
      if (!isRecord(message) || typeof message.method !== 'string') return;
      const { id, method } = message;
      const cancelled = cancelledId(message);
      if (cancelled !== undefined) open.delete(cancelled);
      else if (isId(id) && method !== 'subscriptions/listen') open.add(id);
    },
    noteAnswered(message) {
      if (isRecord(message) && !('method' in message)) open.delete(message.id);
    },
    has: (id) => open.has(id),
    get size() {
      return open.size;
    },
    ids: () => [...open].filter(isId),
  };
}

/** The id of the request that a message takes back; undefined: none. A request of that name takes nothing back: whoever serves it says that there is no such method. */
export function cancelledId(message: unknown): unknown {
  if (!isRecord(message) || message.method !== 'notifications/cancelled' || 'id' in message) return undefined;
  return isRecord(message.params) ? message.params.requestId : undefined;
}

function isId(id: unknown): id is string | number {
  return typeof id === 'string' || typeof id === 'number';
}
