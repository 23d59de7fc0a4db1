import { ReadBuffer, serializeMessage, type Transport } from '@modelcontextprotocol/client';
import type { UpstreamProcess, UpstreamProcesses } from '../upstream-ports.ts';

/** Largest message that a server may send, bytes. */
const LARGEST_MESSAGE_BYTES = 8 * 1024 * 1024;

/** A client's end of a server that is a process of this node. */
export function createProcessTransport(
  processes: UpstreamProcesses,
  order: { readonly argv: readonly string[]; readonly env: readonly string[] },
): Transport {
  const buffer = new ReadBuffer({ maxBufferSize: LARGEST_MESSAGE_BYTES });
  let process: UpstreamProcess | undefined;
  let isOver = false;
  const over = (): void => {
    if (isOver) return;
    isOver = true;
    buffer.clear();
    transport.onclose?.();
  };
  const take = async (bytes: Buffer): Promise<void> => {
    if (isOver) return;
    try {
      buffer.append(bytes);
    } catch (error) {
      transport.onerror?.(error as Error);
      process?.stop();
      return;
    }
    for (;;) {
      try {
        const message = buffer.readMessage();
        if (message === null) return;
        transport.onmessage?.(message);
      } catch (error) {
        // A line that is no message is left out, as the protocol's own transport does.
        transport.onerror?.(error as Error);
      }
    }
  };
  const transport: Transport = {
    async start() {
      process = await processes.start({ ...order, onOutput: take });
      void process.done.then(over);
      // Ended while it was being started.
      if (isOver) process.stop();
    },
    async send(message) {
      if (process === undefined || isOver) throw new Error('the server has ended');
      await process.write(Buffer.from(serializeMessage(message)));
    },
    async close() {
      over();
      process?.stop();
      await process?.done;
    },
  };
  return transport;
}
