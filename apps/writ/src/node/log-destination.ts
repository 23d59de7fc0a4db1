import { writeSync } from 'node:fs';
import type { Clock } from '@writ/core';
import type { DestinationStream } from 'pino';

/** Where log lines wait for a moment. */
export interface LogDestination extends DestinationStream {
  /** Writes all that waits: to be called when the process ends, however it does. */
  flush(): void;
}

/** How long a line waits for others to be written with it, milliseconds. */
const TOGETHER_MS = 10;

/** Characters that wait at most; lines beyond are counted and dropped, but for those that do not wait. */
const MOST_WAITING = 1024 * 1024;

/** Lines of this level of pino's and above are written at once: what follows them may be the end. */
const AT_ONCE = /^\{"level":(?:50|60)/;

/**
 * Writes log lines to a descriptor, those of a moment together, so that a flood of them costs few calls of the system; the
 * line of an error at once, with all before it. Lines that a full disk refuses are counted and the node goes on; the
 * next ones that are taken say how many were lost.
 */
export function createLogDestination(fd: number, clock: Pick<Clock, 'setTimer'>): LogDestination {
  let waiting = '';
  let lost = 0;
  let isTimed = false;
  const flush = (): void => {
    if (waiting === '') return;
    const text = waiting;
    waiting = '';
    try {
      writeAll(fd, lossLine(lost) + text);
      lost = 0;
    } catch {
      lost += text.split('\n').length - 1;
    }
  };
  return {
    flush,
    write(line) {
      const isUrgent = AT_ONCE.test(line);
      if (!isUrgent && waiting.length + line.length > MOST_WAITING) {
        lost += 1;
        return;
      }
      waiting += line;
      if (isUrgent) return flush();
      if (isTimed) return;
      isTimed = true;
      clock.setTimer(TOGETHER_MS, () => {
        isTimed = false;
        flush();
      });
    },
  };
}

function lossLine(lost: number): string {
  return lost === 0 ? '' : `${JSON.stringify({ level: 40, msg: 'log lines were lost', lines: lost })}\n`;
}

function writeAll(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
}
