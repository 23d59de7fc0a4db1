import { WRIT_CODES, type WritCode } from './codes.ts';

/** What an error carries beside its code. */
export interface WritErrorOptions {
  /** Facts for programs: flat, JSON-safe, no secrets. */
  readonly details?: Readonly<Record<string, string | number | boolean | null>>;
  /** What the reader can do next, each a sentence or a command; lower case, no full stop. */
  readonly nextSteps?: readonly string[];
  readonly cause?: unknown;
}

/**
 * The one error class. `code` is from a closed set, `message` is for people (lower case, no full stop, user input
 * in backticks through `quote`). A denial by policy is a returned value, not one of these.
 */
export class WritError extends Error {
  override readonly name = 'WritError';
  readonly code: WritCode;
  readonly details: Readonly<Record<string, string | number | boolean | null>>;
  readonly nextSteps: readonly string[];

  constructor(code: WritCode, message: string, options: WritErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
    this.nextSteps = options.nextSteps ?? [];
  }
}

/** True for a WritError, also one of those that carry `code`. */
export function isWritError(error: unknown, code?: WritCode): error is WritError {
  return error instanceof WritError && (code === undefined || error.code === code);
}

/** Any thrown thing as a WritError; what is not one already becomes `INTERNAL` with the original as its cause. */
export function toWritError(error: unknown): WritError {
  if (error instanceof WritError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const errno = error instanceof Error && 'code' in error ? String(error.code) : '';
  const nextSteps = STEPS_OF[errno];
  return new WritError('INTERNAL', message, { cause: error, ...(nextSteps === undefined ? {} : { nextSteps }) });
}

/** What helps where the system refuses, whatever was tried. */
const STEPS_OF: Readonly<Record<string, readonly string[]>> = {
  EROFS: ['mount the file system so that it can be written', 'or set WRIT_HOME to a folder on another one'],
  EACCES: ['run it as the user whom the file or folder belongs to', 'or set WRIT_HOME to a folder of your own'],
  EPERM: ['run it as the user whom the file or folder belongs to'],
  ENOTDIR: ['a file stands where a folder has to be: set WRIT_HOME to a folder'],
  ENOSPC: ['make room on the disk, then try again'],
  EMFILE: ['raise the number of open files: ulimit -n 4096'],
};

/** A WritError as plain data for a wire or `--json`. */
export interface WritErrorJson {
  readonly code: WritCode;
  readonly message: string;
  readonly details: Readonly<Record<string, string | number | boolean | null>>;
  readonly nextSteps: readonly string[];
}

export function errorToJson(error: WritError): WritErrorJson {
  return { code: error.code, message: error.message, details: error.details, nextSteps: error.nextSteps };
}

/** The reverse of `errorToJson`; a code that this program does not know becomes `INTERNAL`. */
export function errorFromJson(json: Partial<WritErrorJson> | undefined): WritError {
  const code = WRIT_CODES.find((known) => known === json?.code) ?? 'INTERNAL';
  return new WritError(code, json?.message ?? 'unknown error', {
    ...(json?.details ? { details: json.details } : {}),
    ...(json?.nextSteps ? { nextSteps: json.nextSteps } : {}),
  });
}
