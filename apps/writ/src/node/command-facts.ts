import { isAbsolute, relative } from 'node:path';
import { readBasis } from '@writ/authority';
import type { CommandDeskOptions } from '@writ/commands';
import { obeysFolder, type PolicyEngine, readsAlone } from '@writ/policy';
import { realPath, realTarget } from './real-path.ts';

/** What the facts of a command are found with. */
export interface CommandFactsParts {
  readonly engine: Pick<PolicyEngine, 'snapshot'>;
  /** Absolute folders of the node's own home: keys, tokens, what other tasks left. */
  readonly homes: readonly string[];
  /** Absolute path of something that the configuration names by a path. */
  readonly resolvePath: (written: string) => string;
}

/**
 * What rights and windows are decided from, by the configuration of this moment. A command of class `read` needs no person only
 * where it can do nothing but read, and reads nothing beyond the profile's `read_paths`, or the workspace that it was asked for, and
 * nothing of the node's own home; every other one is asked about like a change.
 * What files of a folder lead is not known to a window, and a path is where its links lead.
 * INVARIANT: 1, 5 no grant of a look runs a program that nobody saw, or reads a file that was not granted.
 */
export function createCommandFacts({ engine, homes, resolvePath }: CommandFactsParts): CommandDeskOptions['factsOf'] {
  const isWithin = (path: string, roots: readonly string[]): boolean => {
    const real = realPath(path);
    if (real === undefined) return false;
    // What looks into folders sees a home from above, too.
    const isOwn = homes.map(realPath).some((own) => own !== undefined && (isInside(real, own) || isInside(own, real)));
    if (isOwn) return false;
    return roots.some((root) => isInside(real, realPath(resolvePath(root))));
  };
  return ({ class: is, known, needs, target, ...rest }, { argv, cwd, stdin, profile, basis }) => {
    const { config } = engine.snapshot();
    const reads = stdin === undefined ? readsAlone({ class: is, known, needs, ...rest }, argv, cwd) : undefined;
    const workspace = config.workspaces.get(readBasis(basis)?.ask.workspace ?? '');
    const roots = config.profiles.get(profile)?.readPaths ?? [];
    const isRoot = workspace !== undefined && realPath(cwd) === realPath(resolvePath(workspace.path));
    const alone = reads?.paths.every((path) => isWithin(path, roots)) === true && (!reads.repository || isRoot);
    const isAlone = is === 'read' && alone;
    // INVARIANT: 6 no window covers what files that can change meanwhile decide.
    const isKnown = known && (isAlone || !obeysFolder(rest));
    const real = target === undefined ? undefined : realTarget(target);
    return {
      ...{ class: is === 'read' && !alone ? 'config-mutation' : is, known: isKnown, needs },
      ...(real === undefined ? {} : { target: real }),
    };
  };
}

function isInside(path: string, root: string | undefined): boolean {
  if (root === undefined) return false;
  const below = relative(root, path);
  return below !== '..' && !below.startsWith('../') && !isAbsolute(below);
}
