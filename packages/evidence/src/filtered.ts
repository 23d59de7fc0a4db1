import { quote } from '@writ/core';
import type { GitDir, RunOptions } from './git-dir.ts';
import { joinNul, splitNul } from './raw-path.ts';
import type { GitStep } from './types.ts';

/** A file that goes through a program on its way into a repository or out of it. For a person, escaped. */
export interface Filtered {
  readonly path: string;
  /** What the program is called; whether, and where, somebody has configured it is for `isMeant` to know. */
  readonly filter: string;
  /** The same as it is written. */
  readonly name: string;
}

/**
 * The first of these paths that attributes give a filter which is meant (every one, where nothing else is said), undefined where there is none. `where`: with `--cached` the attributes
 * of the index count, else those of the working tree. `options`: which attributes hold everywhere.
 */
export async function findFiltered(
  git: GitDir,
  step: GitStep,
  paths: readonly Buffer[],
  where: RunOptions & {
    readonly isCached: boolean;
    readonly options?: readonly string[];
    readonly isMeant?: (filter: string) => boolean;
  },
): Promise<Filtered | undefined> {
  if (paths.length === 0) return undefined;
  const { isCached, options = [], isMeant = () => true, ...how } = where;
  const asking = [...options, 'check-attr', ...(isCached ? ['--cached'] : []), '-z', '--stdin', 'filter'];
  const fields = splitNul(await git.run(step, asking, { ...how, input: joinNul(paths) }));
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const value = fields[at + 2]?.toString() ?? '';
    if (['unspecified', 'unset', 'set'].includes(value) || !isMeant(value)) continue;
    return { path: quote(fields[at]?.toString() ?? ''), filter: quote(value), name: value };
  }
  return undefined;
}
