/** True for an error of the system with this code, such as `ENOENT`. */
export function hasErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
