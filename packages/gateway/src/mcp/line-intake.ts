import type { Duplex } from 'node:stream';
import type { Entrance } from '../entrance.ts';
import { createLineSplitter } from './line-splitter.ts';

/** What becomes of the lines of a connection. */
export interface LineIntakeOptions {
  readonly socket: Duplex;
  /** Longest line, bytes. */
  readonly largestBytes: number;
  readonly entrance: Entrance;
  readonly onLine: (line: string) => void;
  /** Called once, where `onLine` throws; nothing is read after it. */
  readonly onFault: (error: unknown) => void;
  /** Called once, for the first line that is longer; nothing is read after it. */
  readonly onTooLong: () => void;
  /** Called once, where a line that has not ended makes room for others; nothing is read after it. */
  readonly onNoRoom: () => void;
  /** Called when what was written has to be taken before more is read. */
  readonly untilTaken: () => Promise<void>;
}

/** Lines that are read only as fast as they are worked off. */
export interface LineIntake {
  /** Takes what came; nothing more is read before every line of it had its turn, and the answers were taken. */
  readonly take: (chunk: Buffer) => void;
  /** Resolves when every line that came has been worked on, or was dropped. */
  done(): Promise<void>;
  /** Drops the lines that wait. */
  stop(): void;
}

/** One for a connection whose chunks are handed to `take`. */
export function createLineIntake(options: LineIntakeOptions): LineIntake {
  const { socket, largestBytes, entrance, onLine, onFault, onTooLong, onNoRoom, untilTaken } = options;

  let isOver = false;
  let working: Promise<void> = Promise.resolve();
  const held = entrance.hold(() => {
    isOver = true;
    onNoRoom();
  });
  let isTooLong = false;
  let waiting: string[] = [];
  let waitingBytes = 0;
  const splitter = createLineSplitter({
    largestBytes,
    onLine(line) {
      waiting.push(line);
      waitingBytes += line.length;
    },
    onTooLong() {
      isTooLong = true;
    },
  });
  const workOff = async (): Promise<void> => {
    for (const line of waiting) {
      await entrance.turn();
      if (isOver) return;
      onLine(line);
      if (socket.writableNeedDrain) await untilTaken();
      if (isOver) return;
    }
    waiting = [];
    waitingBytes = 0;
    held.set(splitter.heldBytes());
    if (isTooLong) onTooLong();
    else socket.resume();
  };
  return {
    take(chunk) {
      if (isOver) return;
      splitter.take(chunk);
      // It counts until it is worked on.
      held.set(splitter.heldBytes() + waitingBytes);
      if (waiting.length === 0 && !isTooLong) return;
      socket.pause();
      working = workOff().catch(onFault);
    },
    done: () => working,
    stop() {
      isOver = true;
      held.set(0);
    },
  };
}
