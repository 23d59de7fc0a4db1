/** Structured fields of one log line: flat, no secrets. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** The logging port; pino implements it at the root, tests record it. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** A logger that drops everything. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };
