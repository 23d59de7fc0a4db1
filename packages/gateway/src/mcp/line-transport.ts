import type { Duplex } from 'node:stream';
import { serializeMessage, type Transport } from '@modelcontextprotocol/server';
import { invalid, type LineRefusal, readLine } from './protocol-line.ts';
import { isRecord } from './record.ts';

const NEWLINE = 0x0a;
/** The one revision in which a client may send several messages in one line; each is answered in a line of its own. */
const BATCH_REVISION = '2025-03-26';

/**
 * MCP as JSON lines on a connection. What is no JSON, or no message, is answered with the protocol's error, and the next
 * line is read; a line of more than `largestBytes` is answered too, and ends the connection: the request in it is never
 * answered, and its client would wait.
 */
export function createLineTransport(socket: Duplex, { largestBytes }: { readonly largestBytes: number }): Transport {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let isOver = false;
  let hasBatches = false;
  const refuse = (refusal: LineRefusal): void => {
    transport.onerror?.(new Error(refusal.error.message));
    // Short lines have long answers: from a client that reads none nothing more is read either.
    if (socket.write(`${JSON.stringify(refusal)}\n`) || socket.isPaused()) return;
    socket.pause();
    socket.once('drain', () => socket.resume());
  };
  const hold = (piece: Buffer): void => {
    held.push(piece);
    heldBytes += piece.length;
    if (heldBytes <= largestBytes) return;
    refuse(invalid(`a message has at most ${largestBytes} bytes; the connection ends here`));
    void transport.close();
  };
  const takeLine = (): void => {
    const line = Buffer.concat(held).toString('utf8');
    held = [];
    heldBytes = 0;
    for (const item of readLine(line, hasBatches)) {
      if ('message' in item) transport.onmessage?.(item.message);
      else if (item.refusal !== undefined) refuse(item.refusal);
    }
  };
  const read = (chunk: Buffer): void => {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      hold(chunk.subarray(from, end));
      if (isOver) return;
      takeLine();
      from = end + 1;
    }
    hold(chunk.subarray(from));
  };
  const close = (): void => void transport.close();
  const transport: Transport = {
    async start() {
      socket.on('data', read).on('end', close).on('close', close);
    },
    async send(message) {
      if (isOver) throw new Error('the connection has ended');
      if ('result' in message && isRecord(message.result) && 'protocolVersion' in message.result) {
        hasBatches = message.result.protocolVersion === BATCH_REVISION;
      }
      if (!socket.write(serializeMessage(message))) await drained(socket);
    },
    async close() {
      if (isOver) return;
      isOver = true;
      held = [];
      socket.off('data', read).off('end', close).off('close', close);
      transport.onclose?.();
    },
  };
  return transport;
}

/** Resolves when more can be written, or nothing ever will. */
function drained(socket: Duplex): Promise<void> {
  return new Promise((resolve) => {
    const over = (): void => {
      socket.off('drain', over).off('close', over);
      resolve();
    };
    socket.on('drain', over).on('close', over);
  });
}
