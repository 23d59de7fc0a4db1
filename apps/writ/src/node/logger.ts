import type { Logger } from '@writ/core';
import { type DestinationStream, pino } from 'pino';

/** Levels of pino that WRIT_LOG may name. */
const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'];

/** The node's log: JSON lines with an ISO time; `destination` is written synchronously so that a crash loses nothing. */
export function createPinoLogger(level: string, destination: DestinationStream): Logger {
  const log = pino(
    { level: LEVELS.includes(level) ? level : 'info', base: null, timestamp: pino.stdTimeFunctions.isoTime },
    destination,
  );
  return {
    debug: (message, fields) => log.debug(fields ?? {}, message),
    info: (message, fields) => log.info(fields ?? {}, message),
    warn: (message, fields) => log.warn(fields ?? {}, message),
    error: (message, fields) => log.error(fields ?? {}, message),
  };
}
