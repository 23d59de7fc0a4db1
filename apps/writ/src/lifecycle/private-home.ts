import { lstatSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findUnwritable, isAbsent, quote, WritError } from '@writ/core';
import type { Home } from '../home.ts';
import { isGuarded, realPath } from '../node/real-path.ts';
import { belongsTo, foreignHome } from './home-owner.ts';
import { findPathFault, type PathFault, type Use } from './path-faults.ts';

/** Folders of a home that a node makes before anything else, and that nobody but its user may enter. */
export function privateFolders(home: Home): readonly string[] {
  return [home.configDir, home.dataDir, home.runDir, dirname(home.socketFile), dirname(home.databaseFile)];
}

/**
 * What of a home others can reach or put another in the place of, and what of it this user cannot use: all that keeps a node from
 * starting in it, each once, with the command that mends it. One alone, and nothing of the rest, where the home is another user's.
 * Looks alone; what is not there is no fault, and nothing that the system refuses is thrown.
 */
export function exposuresOf(home: Home, uid: number | undefined): readonly WritError[] {
  const foreign = foreignHome(home, uid);
  if (foreign !== undefined) return [foreign];
  const faults = [...usesOf(home).map((use) => findPathFault(use, uid)), configFault(home.configFile, uid)];
  const found = new Map<string, WritError>();
  for (const fault of faults) {
    if (fault === undefined) continue;
    if (fault.keptOutBy !== undefined) return [belongsTo(home, fault.keptOutBy)];
    // What is behind a folder that cannot be entered has one fault with all that is there.
    if (!found.has(fault.path)) found.set(fault.path, fault.error);
  }
  return [...found.values()];
}

/** Throws BAD_REQUEST where nothing can be written in the home: a node would start, and keep nothing. */
export function assertWritableHome({ dataDir, runDir, databaseFile }: Home): void {
  const folders = [dataDir, runDir, dirname(databaseFile)];
  const unwritable = folders.map(findUnwritable).find((found) => found !== undefined);
  if (unwritable !== undefined) throw unwritable;
}

/** Throws the first of what `exposuresOf` finds. */
export function assertPrivateHome(home: Home): void {
  const [first] = exposuresOf(home, process.geteuid?.());
  if (first !== undefined) throw first;
}

/** What a node that starts uses of its home, folders before what is in them. */
function usesOf(home: Home): readonly Use[] {
  const written = new Set([home.runDir, dirname(home.socketFile), dirname(home.databaseFile), home.auditDir]);
  const folders = new Set([...privateFolders(home), home.keysDir, home.pinsDir, home.auditDir]);
  const files = [
    // What is read alone has been put back by somebody, or lies there since it was full.
    ...namesIn(home.keysDir, (name) => name.endsWith('.pem')).map((path) => ({ path, isWritten: false })),
    ...[home.databaseFile, home.lockFile].map((path) => ({ path, isWritten: true })),
    // What was being replaced when its node was killed is taken away at the next start.
    ...namesIn(home.auditDir, (name) => !name.endsWith('.tmp')).map((path) => ({ path, isWritten: false })),
  ];
  return [
    ...[...folders].map((path): Use => ({ path, kind: 'directory', isPrivate: true, isWritten: written.has(path) })),
    ...files.map((file): Use => ({ ...file, kind: 'file', isPrivate: true })),
    { path: home.workspacesDir, kind: 'directory', isPrivate: false, isWritten: true },
    { path: home.logFile, kind: 'file', isPrivate: false, isWritten: true },
  ];
}

/** `writ.toml` may be a link to where a person keeps such files, as long as nobody else can change what is behind it. */
function configFault(path: string, uid: number | undefined): PathFault | undefined {
  const asFile = (file: string) => findPathFault({ path: file, kind: 'file', isPrivate: true, isWritten: false }, uid);
  if (!isLink(path)) return asFile(path);
  const real = realPath(path);
  if (real === undefined) {
    const error = new WritError('CONFIG_INVALID', `${quote(path)} is a link that leads nowhere`, {
      nextSteps: ['bring back what it leads to, or take the link away'],
    });
    return { path, error };
  }
  const fault = asFile(real);
  if (fault !== undefined || isGuarded(real, uid)) return fault;
  const error = new WritError('HOME_INSECURE', `other users can put another file in the place of ${quote(real)}`, {
    details: { path: real },
    nextSteps: ['keep it in folders that only you can write'],
  });
  return { path: real, error };
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch {
    // Why it cannot be looked at is found on the way to it.
    return false;
  }
}

function namesIn(folder: string, isOne: (name: string) => boolean): readonly string[] {
  try {
    return readdirSync(folder)
      .filter(isOne)
      .map((name) => join(folder, name));
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}
