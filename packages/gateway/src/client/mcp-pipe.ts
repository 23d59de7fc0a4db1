import type { Duplex } from 'node:stream';

/** Who ended a connection of MCP. */
export type PipeEnd = 'client' | 'node';

/**
 * Carries bytes both ways until either end is over, with backpressure. What the node still says after `stdin` has
 * ended is written out; a reader that went away ends the connection.
 */
export function pipeBoth(
  socket: Duplex,
  stdin: NodeJS.ReadableStream,
  stdout: NodeJS.WritableStream,
): Promise<PipeEnd> {
  return new Promise((resolve) => {
    let endedBy: PipeEnd = 'node';
    const left = (): void => {
      endedBy = 'client';
    };
    const gone = (): void => {
      left();
      socket.destroy();
    };
    const finish = (): void => {
      stdin.unpipe(socket);
      stdin.pause();
      stdout.off('error', gone);
      stdin.off('error', gone).off('end', left);
      resolve(endedBy);
    };
    stdin.on('error', gone).once('end', left);
    stdout.on('error', gone);
    socket.on('error', () => socket.destroy());
    socket.once('close', finish);
    stdin.pipe(socket);
    socket.pipe(stdout, { end: false });
  });
}
