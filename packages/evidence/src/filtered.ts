import { quote } from '@writ/core';
import type { GitDir, RunOptions } from './git-dir.ts';
import { joinNul, splitNul } from './raw-path.ts';
import type { GitStep } from './types.ts';

/** A file that goes through a program on its way into a repository or out of it. For a person, escaped. */
export interface Filtered {
  readonly path: string;
  /** What the program is called; whether, and where, somebody has configured it is for `isDriven` to know. */
  readonly filter: string;
  /** The same as it is written. */
  readonly name: string;
}

const NO_FILTER = ['unspecified', 'unset', 'set'];

/**
 * The first of these paths that attributes give a filter, but one of which `isDriven` says that nothing is run for it; undefined where there is none. `where`: with `--cached` the attributes
 * of the index count, else those of the working tree. `options`: which attributes hold everywhere.
 */
export async function findFiltered(
  git: GitDir,
  step: GitStep,
  paths: readonly Buffer[],
  where: RunOptions & {
    readonly isCached: boolean;
    readonly options?: readonly string[];
    readonly isDriven?: (filter: string) => boolean | undefined;
  },
): Promise<Filtered | undefined> {
  if (paths.length === 0) return undefined;
  const { isCached, options = [], isDriven = () => undefined, ...how } = where;
  const asking = [...options, 'check-attr', ...(isCached ? ['--cached'] : []), '-z', '--stdin', 'filter'];
  const fields = splitNul(await git.run(step, asking, { ...how, input: joinNul(paths) }));
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const value = fields[at + 2]?.toString() ?? '';
    // What git says where there is no filter could be the name of one: it is where something is there to be run for it.
    if (isDriven(value) !== true && (NO_FILTER.includes(value) || isDriven(value) === false)) continue;
    return { path: quote(fields[at]?.toString() ?? ''), filter: quote(value), name: value };
  }
  return undefined;
}
