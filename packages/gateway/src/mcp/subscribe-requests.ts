import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError, type Server } from '@modelcontextprotocol/server';
import { isWritError } from '@writ/core';
import type { Subscriptions } from './subscriptions.ts';

/** Lets a client of an older revision follow resources by request; newer ones open a stream for it. */
export function serveSubscribeRequests(server: Server, subscriptions: Subscriptions): void {
  server.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
    follow(subscriptions, uri);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    subscriptions.leave(uri);
    return {};
  });
}

/** Throws the protocol's error for what cannot be followed. */
function follow(subscriptions: Subscriptions, uri: string): void {
  try {
    if (subscriptions.follow(uri)) return;
  } catch (error) {
    if (isWritError(error, 'NOT_FOUND')) throw new ResourceNotFoundError(uri);
    throw error;
  }
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'that cannot be followed, or too much is followed already');
}
