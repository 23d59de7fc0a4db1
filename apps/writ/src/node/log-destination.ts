import { writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/**
 * Writes log lines to a descriptor at once, so that a crash loses none. A line that a full disk refuses is counted and the
 * node goes on; the next one that is taken says how many were lost.
 */
export function createLogDestination(fd: number): DestinationStream {
  let lost = 0;
  return {
    write(line) {
      try {
        if (lost > 0) writeSync(fd, `${JSON.stringify({ level: 40, msg: 'log lines were lost', lines: lost })}\n`);
        lost = 0;
        writeSync(fd, line);
      } catch {
        lost += 1;
      }
    },
  };
}
