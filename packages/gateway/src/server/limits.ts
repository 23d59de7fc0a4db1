import type { Server } from 'node:http';
import type { Clock } from '@writ/core';

/** Time that calls under way have to finish when the node stops, milliseconds. */
const CLOSE_GRACE_MS = 2000;

/** What one request may take at most; for every HTTP server of a node. */
export const SERVER_LIMITS = {
  maxHeaderSize: 8192,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5000,
} as const;

/** Takes no more connections; resolves when none is left, after a grace period at the latest. */
export function closeServer(server: Server, clock: Clock): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve) => {
    const stopTimer = clock.setTimer(CLOSE_GRACE_MS, () => server.closeAllConnections());
    server.close(() => {
      stopTimer();
      resolve();
    });
    server.closeIdleConnections();
  });
}
