import { parseJSONRPCMessage, serializeMessage, type Transport } from '@modelcontextprotocol/client';
import { formatSize, isWritError, nextTurn } from '@writ/core';
import { createLineSplitter } from '../mcp/line-splitter.ts';
import type { UpstreamProcess, UpstreamProcesses } from '../upstream-ports.ts';

import { createMessageMeter, LARGEST_MESSAGE_BYTES, tooLarge } from './message-bounds.ts';

/** A client's end of a server that is a process of this node; it reads one message a turn of the loop. */
export function createProcessTransport(
  processes: UpstreamProcesses,
  order: { readonly argv: readonly string[]; readonly env: readonly string[] },
): Transport {
  let lines: string[] = [];
  const splitter = createLineSplitter({
    largestBytes: LARGEST_MESSAGE_BYTES,
    onLine: (line) => void lines.push(line),
    onTooLong: () => giveUp(tooLarge(`is larger than ${formatSize(LARGEST_MESSAGE_BYTES)}`)),
  });
  let process: UpstreamProcess | undefined;
  let isOver = false;
  const over = (): void => {
    if (isOver) return;
    isOver = true;
    transport.onclose?.();
  };
  /** Whoever waits for what is left out would wait for ever. */
  const giveUp = (why: Error): void => {
    transport.onerror?.(why);
    process?.stop();
  };
  const take = async (bytes: Buffer): Promise<void> => {
    splitter.take(bytes);
    const came = lines;
    lines = [];
    for (const line of came) {
      if (isOver) return;
      if (line.trim() === '') continue;
      try {
        createMessageMeter().take(line);
        transport.onmessage?.(parseJSONRPCMessage(JSON.parse(line)));
      } catch (error) {
        // A line that is no message is left out, as the protocol's own transport does.
        if (isWritError(error)) giveUp(error);
        else transport.onerror?.(error as Error);
      }
      await nextTurn();
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
