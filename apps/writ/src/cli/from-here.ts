import { statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import type { Environment } from '../env.ts';

/**
 * The absolute path that somebody means who stands in this directory, by the way that led there: where that is through a
 * link, the owner's git knows the repository by it (`includeIf "gitdir:~/work/"`), and the system does not say it. Only where
 * both lead to the same: of `..` behind a link the system means another folder than the words do.
 */
export function fromHere({ all: { PWD } }: Pick<Environment, 'all'>, path = '.'): string {
  const there = resolve(path);
  if (PWD === undefined || !isAbsolute(PWD)) return there;
  const named = resolve(PWD, path);
  return isSamePlace(named, there) ? named : there;
}

/** Whether two paths lead to one file or folder; false where that cannot be seen. */
export function isSamePlace(one: string, other: string): boolean {
  const [a, b] = [one, other].map(identityOf);
  return a !== undefined && a === b;
}

/** Undefined for what cannot be looked at: `PWD` is what somebody said once. */
function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev} ${ino}`;
  } catch {
    return undefined;
  }
}
