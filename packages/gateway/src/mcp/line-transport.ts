import type { Duplex } from 'node:stream';
import { serializeMessage, type Transport } from '@modelcontextprotocol/server';
import type { Cancel, Clock } from '@writ/core';
import { createLineSplitter } from './line-splitter.ts';
import { invalid, type LineRefusal, readLine } from './protocol-line.ts';
import { isRecord } from './record.ts';
import { createUnanswered } from './unanswered.ts';

/** The one revision in which a client may send several messages in one line; each is answered in a line of its own. */
const BATCH_REVISION = '2025-03-26';

/** Bounds of a connection. */
export interface LineTransportOptions {
  /** Largest message, bytes. */
  readonly largestBytes: number;
  /** How long what was asked before a client ended its input may still be answered, milliseconds. */
  readonly finishMs: number;
  readonly clock: Clock;
}

/**
 * MCP as JSON lines on a connection. What is no JSON, or no message, is answered with the protocol's error, and the next
 * line is read; a line of more than `largestBytes` is answered too, and ends the connection: the request in it is never
 * answered, and its client would wait. A client that says no more gets what it asked for before that.
 */
export function createLineTransport(
  socket: Duplex,
  { largestBytes, finishMs, clock }: LineTransportOptions,
): Transport {
  let isOver = false;
  let hasBatches = false;
  const unanswered = createUnanswered();
  /** Set once the client has ended its input. */
  let stopFinishing: Cancel | undefined;
  const refuse = (refusal: LineRefusal): void => {
    transport.onerror?.(new Error(refusal.error.message));
    // Short lines have long answers: from a client that reads none nothing more is read either.
    if (socket.write(`${JSON.stringify(refusal)}\n`) || socket.isPaused()) return;
    socket.pause();
    socket.once('drain', () => socket.resume());
  };
  const lines = createLineSplitter({
    largestBytes,
    onLine(line) {
      for (const item of readLine(line, hasBatches)) {
        if ('message' in item) {
          unanswered.noteAsked(item.message);
          transport.onmessage?.(item.message);
        } else if (item.refusal !== undefined) refuse(item.refusal);
      }
    },
    onTooLong() {
      refuse(invalid(`a message has at most ${largestBytes} bytes; the connection ends here`));
      void transport.close();
    },
  });
  const close = (): void => void transport.close();
  const finish = (): void => {
    stopFinishing = clock.setTimer(finishMs, close);
    if (unanswered.size === 0) close();
  };
  const transport: Transport = {
    async start() {
      socket.on('data', lines.take).on('end', finish).on('close', close);
    },
    async send(message) {
      if (isOver) throw new Error('the connection has ended');
      if ('result' in message && isRecord(message.result) && 'protocolVersion' in message.result) {
        hasBatches = message.result.protocolVersion === BATCH_REVISION;
      }
      const isTaken = socket.write(serializeMessage(message));
      unanswered.noteAnswered(message);
      if (stopFinishing !== undefined && unanswered.size === 0) close();
      else if (!isTaken) await drained(socket);
    },
    async close() {
      if (isOver) return;
      isOver = true;
      stopFinishing?.();
      socket.off('data', lines.take).off('end', finish).off('close', close);
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
