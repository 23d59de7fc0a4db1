import { isAbsolute } from 'node:path';
import { quote, WritError } from '@writ/core';

/** Throws BAD_REQUEST for a path that would start where the caller is: the node is somewhere else. */
export function requireAbsolute(what: string, path: string): void {
  if (isAbsolute(path) && !path.includes('\0')) return;
  throw new WritError('BAD_REQUEST', `${what}: ${quote(path)} is no absolute path`);
}
