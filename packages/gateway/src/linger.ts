import type { Duplex } from 'node:stream';
import type { Clock } from '@writ/core';

/** How long what a client still sends is read and dropped, milliseconds: closed before, it would lose the last answer. */
const LINGER_MS = 2000;

/** What was answered goes out, and the connection closes once the client has heard that it is over, or will not hear it. */
export function linger(socket: Duplex, clock: Pick<Clock, 'setTimer'>): void {
  socket.once(
    'close',
    clock.setTimer(LINGER_MS, () => socket.destroy()),
  );
  socket.resume();
  socket.end();
}
