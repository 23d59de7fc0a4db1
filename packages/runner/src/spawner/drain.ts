import type { Readable } from 'node:stream';
import type { Clock } from '@writ/core';
import { WINDOW_BYTES } from './frames.ts';

/** Quiet time after which a pipe that somebody outside the tree still holds is given up, milliseconds. */
const QUIET_MS = 1000;

/** Forwards a process's two output streams and knows when they are empty. */
export interface Drain {
  /** That many forwarded bytes were dealt with. */
  credit(bytes: number): void;
  /** To be called when the tree is gone. Resolves at the end of both streams, or when nothing more can come. */
  finish(): Promise<void>;
}

/**
 * Forwards chunks until `WINDOW_BYTES` are unacknowledged, then stops reading, so that the writer waits in its pipe:
 * memory stays flat at any volume, and one slow run holds up no other.
 */
export function createDrain(
  streams: { readonly stdout: Readable; readonly stderr: Readable },
  forward: (stream: 'stdout' | 'stderr', chunk: Buffer) => void,
  clock: Clock,
): Drain {
  const both = [streams.stdout, streams.stderr];
  let open = both.length;
  let unacknowledged = 0;
  let lastMs = clock.monotonicMs();
  let setClosed = (): void => {};
  const closed = new Promise<void>((resolve) => {
    setClosed = resolve;
  });
  for (const name of ['stdout', 'stderr'] as const) {
    const stream = streams[name];
    stream.on('data', (chunk: Buffer) => {
      lastMs = clock.monotonicMs();
      unacknowledged += chunk.length;
      if (unacknowledged >= WINDOW_BYTES) for (const each of both) each.pause();
      forward(name, chunk);
    });
    // A read error ends the stream like its end does.
    stream.on('error', () => {});
    stream.on('close', () => {
      open -= 1;
      if (open === 0) setClosed();
    });
  }
  const giveUpWhenQuiet = (): void => {
    if (open === 0) return;
    const quietMs = clock.monotonicMs() - lastMs;
    if (unacknowledged < WINDOW_BYTES && quietMs >= QUIET_MS) {
      for (const each of both) each.destroy();
      return;
    }
    clock.setTimer(Math.max(QUIET_MS - quietMs, QUIET_MS / 10), giveUpWhenQuiet);
  };
  return {
    credit(bytes) {
      const stopped = unacknowledged >= WINDOW_BYTES;
      unacknowledged -= bytes;
      lastMs = clock.monotonicMs();
      if (stopped && unacknowledged < WINDOW_BYTES) for (const each of both) each.resume();
    },
    finish() {
      lastMs = clock.monotonicMs();
      giveUpWhenQuiet();
      return closed;
    },
  };
}
