import { statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import type { Environment } from '../env.ts';

/**
 * The absolute path that somebody means who stands in this directory, by the way that led there: where that is through a
 * link, the owner's git knows the repository by it (`includeIf "gitdir:~/work/"`), and the system does not say it.
 */
export function fromHere({ all: { PWD } }: Pick<Environment, 'all'>, path = '.'): string {
  return resolve(PWD !== undefined && isAbsolute(PWD) && isSamePlace(PWD, '.') ? PWD : '.', path);
}

/** Whether two paths lead to one file or folder. */
export function isSamePlace(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return a !== undefined && a.dev === b?.dev && a.ino === b.ino;
}
