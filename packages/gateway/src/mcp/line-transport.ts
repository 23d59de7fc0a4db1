import type { Duplex } from 'node:stream';
import { serializeMessage, type Transport } from '@modelcontextprotocol/server';
import { type Cancel, type Clock, jsonWeight } from '@writ/core';
import type { Entrance } from '../entrance.ts';
import { createLineIntake } from './line-intake.ts';
import { createOpenRequests } from './open-requests.ts';
import { busy, invalid, type LineRefusal, readLine } from './protocol-line.ts';
import { isRecord } from './record.ts';

/** The one revision in which a client may send several messages in one line; each is answered in a line of its own. */
const BATCH_REVISION = '2025-03-26';

/** Bounds of a connection. */
export interface LineTransportOptions {
  /** Largest message, bytes. */
  readonly largestBytes: number;
  /** How much may lie there for a client that does not read it, bytes; with more its connection ends. */
  readonly mostUnreadBytes: number;
  /** How long a client that has ended its input waits for the next answer to what it asked before, milliseconds. */
  readonly finishMs: number;
  readonly clock: Clock;
  readonly entrance: Entrance;
}

/**
 * MCP as JSON lines on a connection, one a turn. What is no JSON, or no message, is answered with the protocol's error, and
 * the next line is read; a line of more than `largestBytes` is answered too, and ends the connection: the request in it is
 * never answered, and its client would wait. A client that says no more gets what it asked for before that; one that is
 * gone gets no more work done.
 */
export function createLineTransport(
  socket: Duplex,
  { largestBytes, mostUnreadBytes, finishMs, clock, entrance }: LineTransportOptions,
): Transport {
  let isOver = false;
  let hasBatches = false;
  const open = createOpenRequests(entrance);
  const untaken = entrance.keep(() => socket.destroy());
  const untilTaken = createDrain(socket);
  const refuse = (refusal: LineRefusal): void => {
    transport.onerror?.(new Error(refusal.error.message));
    socket.write(`${JSON.stringify(refusal)}\n`);
  };
  const lines = createLineIntake({
    ...{ socket, largestBytes, entrance, untilTaken },
    onLine(line) {
      const items = readLine(line, hasBatches);
      // Once for all of a batch: it reads the whole line.
      const weight = items.length === 0 ? 0 : jsonWeight(line) / items.length;
      for (const item of items) {
        const refusal = 'message' in item ? open.take(item.message, weight) : item.refusal;
        if (refusal !== undefined) refuse(refusal);
        if (refusal === undefined && 'message' in item) transport.onmessage?.(item.message);
      }
    },
    onFault(error) {
      transport.onerror?.(error as Error);
      socket.destroy();
    },
    onNoRoom() {
      refuse(busy('a message that began long ago made room for others; the connection ends here', null));
      void transport.close();
    },
    onTooLong() {
      refuse(invalid(`a message has at most ${largestBytes} bytes; the connection ends here`));
      void transport.close();
    },
  });
  const close = (): void => void transport.close();
  const end = createInputEnd({ clock, finishMs, close, isAnswered: () => open.size === 0 });
  const finish = (): void => void end.come(lines.done());
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
      open.noteAnswered(message);
      if (socket.writableLength > mostUnreadBytes) socket.destroy();
      if (!isOver) untaken.set(socket.writableLength);
      if (!end.noteAnswer() && !isTaken) await untilTaken();
      if (!isOver) untaken.set(socket.writableLength);
    },
    async close() {
      if (isOver) return;
      isOver = true;
      lines.stop();
      open.close();
      untaken.set(0);
      end.forget();
      socket.off('data', lines.take).off('end', finish).off('close', close);
      transport.onclose?.();
    },
  };
  return transport;
}

/** What becomes of a connection whose client has ended its input. */
interface InputEnd {
  /** It has; `worked` resolves when all that came before has been worked on: the end is heard before the lines in front of it had their turn. */
  come(worked: Promise<void>): Promise<void>;
  /** Looks at an answer; true where it was the last one, and the connection closes. */
  noteAnswer(): boolean;
  forget(): void;
}

/** Closes when all is answered, or nothing was for `finishMs`. */
function createInputEnd(of: {
  readonly clock: Clock;
  readonly finishMs: number;
  readonly close: () => void;
  readonly isAnswered: () => boolean;
}): InputEnd {
  let stop: Cancel | undefined;
  let isWorked = false;
  const goOn = (): void => {
    stop?.();
    stop = of.clock.setTimer(of.finishMs, of.close);
  };
  return {
    async come(worked) {
      goOn();
      await worked;
      isWorked = true;
      if (of.isAnswered()) of.close();
    },
    noteAnswer() {
      if (stop !== undefined) goOn();
      const isLast = isWorked && of.isAnswered();
      if (isLast) of.close();
      return isLast;
    },
    forget: () => stop?.(),
  };
}

/** Resolves, for all who ask, when what was written is taken, or nothing ever will be. */
function createDrain(socket: Duplex): () => Promise<void> {
  let draining: Promise<void> | undefined;
  return () => {
    draining ??= new Promise((resolve) => {
      const over = (): void => {
        socket.off('drain', over).off('close', over);
        draining = undefined;
        resolve();
      };
      socket.on('drain', over).on('close', over);
      if (socket.destroyed) over();
    });
    return draining;
  };
}
