import { isRecord } from './record.ts';
import type { Subscriptions } from './subscriptions.ts';
import { cancelledId } from './unanswered.ts';

/** Most streams of one connection; more are refused. */
export const MOST_STREAMS = 128;
/** Longest id of a request that is kept, UTF-16 units. */
const LONGEST_ID = 256;

/** The resources that a message of the current revision asks to hear of; undefined: it asks for no stream. */
export function listenedUris(message: unknown): readonly string[] | undefined {
  if (!isRecord(message) || message.method !== 'subscriptions/listen' || !isRecord(message.params)) return undefined;
  const { notifications } = message.params;
  const uris = isRecord(notifications) ? notifications.resourceSubscriptions : undefined;
  return Array.isArray(uris) ? [...new Set(uris.filter((uri) => typeof uri === 'string'))] : [];
}

/**
 * Follows what a stream asks for; returns how to leave it again, undefined where there is nothing to leave. What is not there, or not the caller's to see, is
 * followed in silence, as if nothing happened to it.
 */
export function followAll(subscriptions: Subscriptions, uris: readonly string[]): (() => void) | undefined {
  const followed = uris.filter((uri) => {
    try {
      return subscriptions.follow(uri);
    } catch {
      return false;
    }
  });
  if (followed.length === 0) return undefined;
  return () => {
    for (const uri of followed) subscriptions.leave(uri);
  };
}

/** The streams of one connection, by the ids of the requests that opened them. */
export interface ListenStreams {
  /** Looks at a message on its way in. */
  note(message: unknown): void;
  /** Looks at one on its way out: a stream that is answered was refused, or is over. */
  noteAnswer(message: unknown): void;
}

/** No stream at first. */
export function createListenStreams(subscriptions: Subscriptions): ListenStreams {
  const open = new Map<unknown, () => void>();
  const end = (id: unknown): void => {
    open.get(id)?.();
    open.delete(id);
  };
  return {
    note(message) {
      if (!isRecord(message)) return;
      const uris = listenedUris(message);
      if (uris !== undefined) {
        end(message.id);
        if (!isShortId(message.id) || open.size >= MOST_STREAMS) return;
        const leave = followAll(subscriptions, uris);
        if (leave !== undefined) open.set(message.id, leave);
      } else if (cancelledId(message) !== undefined) end(cancelledId(message));
    },
    noteAnswer(message) {
      if (isRecord(message) && ('result' in message || 'error' in message)) end(message.id);
    },
  };
}

function isShortId(id: unknown): boolean {
  return typeof id === 'number' || (typeof id === 'string' && id.length <= LONGEST_ID);
}
