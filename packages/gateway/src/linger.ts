import type { Duplex } from 'node:stream';
import type { Clock } from '@writ/core';

/** How long what a client still sends is read and dropped, milliseconds: closed before, it would lose the last answer. */
const LINGER_MS = 2000;

/**
 * What was answered goes out, and the connection closes once the client has heard that it is over, or will not hear it. Each piece that is
 * dropped waits for a `turn`: whoever is refused and sends on at full speed keeps the node from nobody.
 */
export function linger(socket: Duplex, clock: Pick<Clock, 'setTimer'>, turn: () => Promise<void>): void {
  socket.once(
    'close',
    clock.setTimer(LINGER_MS, () => socket.destroy()),
  );
  socket.on('data', () => {
    socket.pause();
    void turn().then(() => socket.resume());
  });
  socket.resume();
  socket.end();
}
