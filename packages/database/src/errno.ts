/** True for an error of the operating system, with `code` where given. */
export function isErrnoException(error: unknown, code?: string): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && (code === undefined || error.code === code);
}
