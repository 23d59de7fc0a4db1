import type { Duplex } from 'node:stream';
import type { ProcessInput } from './spawned.ts';
import { bytesFrame, FRAME } from './spawner/frames.ts';

/** The gateway's end of a process's standard input. */
export interface SpawnedInput extends ProcessInput {
  /** The spawner is through with so many bytes. */
  taken(bytes: number): void;
  /** The process is gone: whoever waits goes on. */
  over(): void;
}

/** Largest piece that one frame carries, bytes. */
const PIECE_BYTES = 64 * 1024;

/** Sends input to a spawner's process; each write waits until the process took it, so that nothing piles up on the way. */
export function createSpawnedInput(run: number, channel: Duplex): SpawnedInput {
  let sentBytes = 0;
  let takenBytes = 0;
  let isOver = false;
  const waiting: { readonly untilBytes: number; readonly resolve: () => void }[] = [];
  const settle = (): void => {
    while (waiting[0] !== undefined && (isOver || waiting[0].untilBytes <= takenBytes)) waiting.shift()?.resolve();
  };
  return {
    write(bytes) {
      if (isOver || bytes.length === 0 || !channel.writable) return Promise.resolve();
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
        channel.write(bytesFrame(FRAME.input, run, bytes.subarray(at, at + PIECE_BYTES)));
      }
      sentBytes += bytes.length;
      return new Promise((resolve) => waiting.push({ untilBytes: sentBytes, resolve }));
    },
    end() {
      if (!isOver && channel.writable) channel.write(bytesFrame(FRAME.inputEnd, run, new Uint8Array()));
    },
    taken(bytes) {
      takenBytes += bytes;
      settle();
    },
    over() {
      isOver = true;
      settle();
    },
  };
}
