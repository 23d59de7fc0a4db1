import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Most requests of one connection that are not answered yet; usual clients send the next one after the answer. */
const MOST_UNANSWERED = 8;

/** Whether a request is served: a connection that sends far more than it waits for is cut off. */
export type PipelineGuard = (request: IncomingMessage, response: ServerResponse) => boolean;

/** A guard of one server. */
export function createPipelineGuard(): PipelineGuard {
  const unanswered = new WeakMap<Socket, number>();
  const add = (socket: Socket, count: number): number => {
    const sum = (unanswered.get(socket) ?? 0) + count;
    unanswered.set(socket, sum);
    return sum;
  };
  return ({ socket }, response) => {
    if (add(socket, 1) > MOST_UNANSWERED) {
      socket.destroy();
      return false;
    }
    response.once('close', () => add(socket, -1));
    return true;
  };
}
