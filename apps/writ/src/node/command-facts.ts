import { dirname, isAbsolute, join, relative } from 'node:path';
import { readBasis } from '@writ/authority';
import type { CommandDeskOptions } from '@writ/commands';
import { matchesPattern } from '@writ/core';
import {
  changesCovered,
  isSystemFolder,
  MOST_PATHS,
  obeysFolder,
  type PolicyEngine,
  readsAlone,
  removalCovered,
} from '@writ/policy';
import { hasNoGitlinks } from './git-index.ts';
import { isFile, isGuarded, leadsTo, pathOf, realPath, realTarget } from './real-path.ts';

/** What the facts of a command are found with. */
export interface CommandFactsParts {
  readonly engine: Pick<PolicyEngine, 'snapshot'>;
  /** Absolute folders of the node's own home: keys, tokens, what other tasks left. */
  readonly homes: readonly string[];
  /** Where commands find their programs: absolute folders, with `:` between them. */
  readonly searchPath: string;
  /** User id of the node's own processes; absent where users have none. */
  readonly user: number | undefined;
  /** Absolute path of something that the configuration names by a path. */
  readonly resolvePath: (written: string) => string;
}

/**
 * What rights and windows are decided from, by the configuration of this moment. A command of class `read` needs no person only
 * where it can do nothing but read, and reads nothing beyond the profile's `read_paths`, or the workspace that it was asked for, and
 * nothing of the node's own home; every other one is asked about like a change.
 * What files of a folder lead is not known to a window, which covers no path outside of the workspace that was asked for, and a path
 * is where its links lead.
 * INVARIANT: 1, 5 no grant of a look runs a program that nobody saw, or reads a file that was not granted.
 */
export function createCommandFacts({
  engine,
  homes,
  searchPath,
  user,
  resolvePath,
}: CommandFactsParts): CommandDeskOptions['factsOf'] {
  // INVARIANT: 6 where a window finds a path, whoever has fewer rights than this node cannot put another in its place before it is used.
  const isSafe = (path: string, owns: readonly RealPath[]): boolean => !isOwn(path, owns) && isGuarded(path, user);
  const targetNow = (target: string, owns: readonly RealPath[]): string | undefined => {
    const real = realTarget(target);
    const path = real === undefined ? undefined : pathOf(real);
    return path === undefined || isSafe(path, owns) ? real : undefined;
  };
  return (classification, { argv, cwd, stdin, profile, basis }) => {
    const { class: is, known, needs, rule, target } = classification;
    const { config } = engine.snapshot();
    const reads = stdin === undefined ? readsAlone(classification, argv, cwd) : undefined;
    const changes = stdin === undefined ? changesCovered(classification, argv, cwd) : undefined;
    const isSystems = isOfSystem(argv[0] ?? '', searchPath) || rule.startsWith('commands[');
    const workspace = config.workspaces.get(readBasis(basis)?.ask.workspace ?? '');
    const { readPaths = [], commands = [] } = config.profiles.get(profile) ?? {};
    const owns = homes.map(realPath);
    const roots = readPaths.map((path) => realPath(resolvePath(path)));
    const root = workspace === undefined ? undefined : realPath(resolvePath(workspace.path));
    const isRoot = root !== undefined && realPath(cwd) === root;
    // Repositories inside it obey configurations of their own.
    const obeysOwner = reads?.repository !== true || (isRoot && hasNoGitlinks(cwd));
    const isFew = ((reads ?? changes)?.paths.length ?? 0) <= MOST_PATHS;
    const alone = isFew && reads?.paths.every((path) => isWithin(realPath(path), roots, owns)) === true && obeysOwner;
    const isAlone = is === 'read' && alone && isSystems;
    // INVARIANT: 6 no window covers what files that can change meanwhile decide, or what was not seen to be harmless.
    const isCovered =
      is === 'destructive'
        ? stdin === undefined && removalCovered(classification, argv, cwd) && !obeysFolder(classification)
        : isFew &&
          changes?.paths.map(leadsTo).every((path) => isInWorkspace(path, root) && isSafe(path, owns)) === true;
    // What the owner wrote out needs no shell, as it is in a task: where its relative files are the owner's, and not led by an input.
    const isListed =
      stdin === undefined && (isRoot || cwd === '/') && commands.some((one) => matchesPattern(one, argv));
    const isKnown = known && isSystems && (isAlone || isCovered);
    const real = target === undefined ? undefined : withProgram(targetNow(target, owns), argv[0] ?? '');
    return {
      ...{ class: is === 'read' && !isAlone ? 'config-mutation' : is, known: isKnown },
      needs: isListed ? needs.filter((need) => need !== 'shell') : needs,
      ...(real === undefined ? {} : { target: real }),
    };
  };
}

/** INVARIANT: 6 two programs may each have a container or a package of one name; a path is the same to all. */
function withProgram(target: string | undefined, program: string): string | undefined {
  return target === undefined || target.split('/')[1] === 'path' ? target : `${target} by ${program}`;
}

type RealPath = string | undefined;

/** What looks into folders sees a home from above, too. */
function isOwn(path: string, homes: readonly RealPath[]): boolean {
  return homes.some((own) => own !== undefined && (isInside(path, own) || isInside(own, path)));
}

function isWithin(path: RealPath, roots: readonly RealPath[], homes: readonly RealPath[]): boolean {
  return path !== undefined && !isOwn(path, homes) && roots.some((root) => isInside(path, root));
}

/** What is not there yet is made where links lead. What lies in git's own folder can run. */
function isInWorkspace(path: RealPath, root: RealPath): path is string {
  if (path === undefined || root === undefined || !isInside(path, root)) return false;
  return !path.toLowerCase().split('/').includes('.git');
}

function isInside(path: string, root: string | undefined): boolean {
  if (root === undefined) return false;
  const below = relative(root, path);
  return below !== '..' && !below.startsWith('../') && !isAbsolute(below);
}

/** Whether the program that the search finds first is one of the system's. */
function isOfSystem(program: string, searchPath: string): boolean {
  if (program.includes('/')) return isSystemFolder(dirname(program));
  const found = searchPath.split(':').find((folder) => isFile(join(folder, program)));
  // One that is not there runs nothing.
  return found === undefined || isSystemFolder(found);
}
