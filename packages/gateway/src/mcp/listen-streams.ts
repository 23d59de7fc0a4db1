import { isRecord } from './record.ts';
import type { Subscriptions } from './subscriptions.ts';

/** The resources that a message of the current revision asks to hear of; undefined: it asks for no stream. */
export function listenedUris(message: unknown): readonly string[] | undefined {
  if (!isRecord(message) || message.method !== 'subscriptions/listen' || !isRecord(message.params)) return undefined;
  const { notifications } = message.params;
  const uris = isRecord(notifications) ? notifications.resourceSubscriptions : undefined;
  return Array.isArray(uris) ? [...new Set(uris.filter((uri) => typeof uri === 'string'))] : [];
}

/**
 * Follows what a stream asks for; returns how to leave it again. What is not there, or not the caller's to see, is
 * followed in silence, as if nothing happened to it.
 */
export function followAll(subscriptions: Subscriptions, uris: readonly string[]): () => void {
  const followed = uris.filter((uri) => {
    try {
      return subscriptions.follow(uri);
    } catch {
      return false;
    }
  });
  return () => {
    for (const uri of followed) subscriptions.leave(uri);
  };
}

/** The streams of one connection, by the ids of the requests that opened them. */
export interface ListenStreams {
  /** Looks at a message on its way in. */
  note(message: unknown): void;
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
        open.set(message.id, followAll(subscriptions, uris));
      } else if (message.method === 'notifications/cancelled' && isRecord(message.params)) {
        end(message.params.requestId);
      }
    },
  };
}
