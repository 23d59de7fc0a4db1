import { realpathSync } from 'node:fs';
import type { Logger } from '@writ/core';
import { endTree, type Tree, type TreeTools } from './process-tree/end-tree.ts';
import type { TreeMarks } from './process-tree/members.ts';
import { PREFIX } from './workspaces/attempt.ts';

/** What ends processes that an earlier runner with the same folders left. */
export interface StraysOptions {
  /** Absolute; where the runner has its workspaces. */
  readonly root: string;
  /** Begins the names of all that this runner makes there: what is below other names is of an earlier one. */
  readonly label: string;
  /** How the mark of the node's own calls of git begins. */
  readonly noncePrefix: string;
  readonly graceMs: number;
  readonly tools: TreeTools;
  readonly logger: Logger;
}

/** Processes that outlived their node. */
export interface Strays {
  /**
   * Ends all that has the folders of an earlier runner in its environment, or works or writes there, whatever it was
   * started for. One look where there is none. Returns how many were found.
   */
  endEarlier(): Promise<number>;
  /** The same, and what carries these nonces or is a call of git, also one of this runner. Takes its time. */
  endAll(nonces: readonly string[]): Promise<number>;
}

/** Nothing must be found for so long, milliseconds: their lifeline went with their spawner. */
const QUIET_MS = 100;
/**
 * Names below the root that a run's processes have open, work in or call their home. Not what is kept of runs that are
 * over: a person may be looking at that.
 */
const PLACES = [PREFIX.run, PREFIX.ready, PREFIX.trash, 'pipes/'];

export function createStrays(options: StraysOptions): Strays {
  const { label, noncePrefix, graceMs, tools, logger } = options;
  const owns = (): TreeMarks['owns'] => {
    const root = realRoot(options.root);
    const isOfEarlier = (path: string): boolean =>
      PLACES.some((place) => path.startsWith(`${root}/${place}`) && !path.startsWith(`${root}/${place}${label}`));
    return root === '' ? undefined : isOfEarlier;
  };
  const end = async (tree: Tree): Promise<number> => {
    const { found, refused } = await endTree(tree, graceMs, tools);
    if (found > 0) logger.warn('processes that an earlier node left were ended', { processes: found });
    if (refused.length > 0) logger.error('processes could not be ended', { pids: refused.join(' ') });
    return found;
  };
  const earlier = (): Pick<TreeMarks, 'owns'> => {
    const test = owns();
    return test === undefined ? {} : { owns: test };
  };
  return {
    async endEarlier() {
      const marks = { nonces: [], ...earlier() };
      return marks.owns === undefined ? 0 : end({ marks });
    },
    endAll: (nonces) => end({ marks: { nonces, noncePrefix, ...earlier() }, quietMs: QUIET_MS }),
  };
}

/** The kernel tells paths by their real names; empty where there is no such folder, and so nobody in it. */
function realRoot(root: string): string {
  try {
    return realpathSync(root);
  } catch {
    return '';
  }
}
