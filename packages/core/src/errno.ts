/** True for an error of the system with this code, such as `ENOENT`. */
export function hasErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

const ABSENT = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG', 'ENXIO', 'ENODEV'];
/** Node's own, for a path that no file can have, such as one with a zero byte. */
const NO_PATH = 'ERR_INVALID_ARG_VALUE';

/**
 * True for an error of the system about a path where there is nothing, or nothing that may be looked at; false for one that
 * passes, such as EMFILE, EIO or ENOSPC: it says nothing of the path.
 */
export function isAbsent(error: unknown): boolean {
  return [...ABSENT, NO_PATH].some((code) => hasErrno(error, code));
}
