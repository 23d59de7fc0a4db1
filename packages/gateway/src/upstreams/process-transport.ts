import { parseJSONRPCMessage, serializeMessage, type Transport } from '@modelcontextprotocol/client';
import { formatSize, isWritError, nextTurn } from '@writ/core';
import { createLineSplitter } from '../mcp/line-splitter.ts';
import type { UpstreamProcess, UpstreamProcesses } from '../upstream-ports.ts';

import { createMessageMeter, LARGEST_MESSAGE_BYTES, tooLarge } from './message-bounds.ts';

/** Most answers that a server has asked for and not read; what more it asks waits to be read. Its own answers do not count. */
const MOST_UNREAD = 64;

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
  let unread = 0;
  let resume = (): void => {};
  /** Resolves when the server has read enough of what it asked for, or is gone: a write is over then, too. */
  const untilRead = async (): Promise<void> => {
    while (unread >= MOST_UNREAD) {
      await new Promise<void>((resolve) => {
        resume = resolve;
      });
    }
  };
  const answer = async (bytes: Buffer, to: UpstreamProcess): Promise<void> => {
    unread += 1;
    await to.write(bytes);
    unread -= 1;
    resume();
  };
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
      await untilRead();
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
      const bytes = Buffer.from(serializeMessage(message));
      await ('method' in message ? process.write(bytes) : answer(bytes, process));
    },
    async close() {
      over();
      process?.stop();
      await process?.done;
    },
  };
  return transport;
}
