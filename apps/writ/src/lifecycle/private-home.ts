import { lstatSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findExposure, findUnwritable, hasErrno, quote, WritError } from '@writ/core';
import type { Home } from '../home.ts';
import { isGuarded, realPath } from '../node/real-path.ts';

/** Folders of a home that a node makes before anything else, and that nobody but its user may enter. */
export function privateFolders(home: Home): readonly string[] {
  return [home.configDir, home.dataDir, home.runDir, dirname(home.socketFile), dirname(home.databaseFile)];
}

/**
 * What of a home others can reach, or put another in the place of: all that keeps a node from starting in it, each as HOME_INSECURE
 * (CONFIG_INVALID for a link that leads nowhere) with the command that mends it. Looks alone; what is not there is no fault.
 */
export function exposuresOf(home: Home, uid: number | undefined): readonly WritError[] {
  const folders = new Set([...privateFolders(home), home.keysDir, home.pinsDir, home.auditDir]);
  const files = [
    ...namesIn(home.keysDir, (name) => name.endsWith('.pem')),
    home.databaseFile,
    // What was being replaced when its node was killed is taken away at the next start.
    ...namesIn(home.auditDir, (name) => !name.endsWith('.tmp')),
  ];
  return [
    ...[...folders].map((path) => findExposure(path, 'directory', uid)),
    configExposure(home.configFile, uid),
    ...files.map((path) => findExposure(path, 'file', uid)),
  ].filter((fault) => fault !== undefined);
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

/** `writ.toml` may be a link to where a person keeps such files, as long as nobody else can change what is behind it. */
function configExposure(path: string, uid: number | undefined): WritError | undefined {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return findExposure(path, 'file', uid);
  const real = realPath(path);
  if (real === undefined) {
    return new WritError('CONFIG_INVALID', `${quote(path)} is a link that leads nowhere`, {
      nextSteps: ['bring back what it leads to, or take the link away'],
    });
  }
  const fault = findExposure(real, 'file', uid);
  if (fault !== undefined || isGuarded(real, uid)) return fault;
  return new WritError('HOME_INSECURE', `other users can put another file in the place of ${quote(real)}`, {
    details: { path: real },
    nextSteps: ['keep it in folders that only you can write'],
  });
}

function namesIn(folder: string, isOne: (name: string) => boolean): readonly string[] {
  try {
    return readdirSync(folder)
      .filter(isOne)
      .map((name) => join(folder, name));
  } catch (error) {
    if (hasErrno(error, 'ENOENT') || hasErrno(error, 'ENOTDIR') || hasErrno(error, 'EACCES')) return [];
    throw error;
  }
}
