import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Most requests of one connection that are not answered yet; usual clients send the next one after the answer. */
const MOST_UNANSWERED = 8;

/**
 * Whether a request is served: a connection that sends far more than it waits for is cut off. `over` is called once, when
 * the answer is out or the connection gone; of an answer that waits behind another one, Node says the latter to nobody.
 */
export type PipelineGuard = (request: IncomingMessage, response: ServerResponse, over: () => void) => boolean;

/** A guard of one server. */
export function createPipelineGuard(): PipelineGuard {
  const unanswered = new WeakMap<Socket, Set<() => void>>();
  const openOn = (socket: Socket): Set<() => void> => {
    const known = unanswered.get(socket);
    if (known !== undefined) return known;
    const open = new Set<() => void>();
    unanswered.set(socket, open);
    socket.once('close', () => {
      for (const end of open) end();
    });
    return open;
  };
  return ({ socket }, response, over) => {
    const open = openOn(socket);
    if (open.size >= MOST_UNANSWERED) {
      socket.destroy();
      return false;
    }
    const end = (): void => {
      if (open.delete(end)) over();
    };
    open.add(end);
    response.once('close', end);
    return true;
  };
}
