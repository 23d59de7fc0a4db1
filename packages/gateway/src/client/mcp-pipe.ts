import type { Duplex } from 'node:stream';

/**
 * Carries bytes both ways until either end is over, with backpressure. What the node still says after `stdin` has
 * ended is written out; a reader that went away ends the connection.
 */
export function pipeBoth(socket: Duplex, stdin: NodeJS.ReadableStream, stdout: NodeJS.WritableStream): Promise<void> {
  return new Promise((resolve) => {
    const gone = (): void => void socket.destroy();
    const finish = (): void => {
      stdin.unpipe(socket);
      stdin.pause();
      stdout.off('error', gone);
      stdin.off('error', gone);
      resolve();
    };
    stdin.on('error', gone);
    stdout.on('error', gone);
    socket.on('error', gone);
    socket.once('close', finish);
    stdin.pipe(socket);
    socket.pipe(stdout, { end: false });
  });
}
