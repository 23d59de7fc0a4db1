import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { quote, shellWord, WritError } from '@writ/core';
import { type Home, hasNode } from '../home.ts';
import { runningPid } from './running-pid.ts';

/** Keeps what there is of a node and makes the rest. */
const KEEP = 'writ init --keep';

/** Whether the key is there that a node is known by. */
export function hasKeys({ keysDir }: Pick<Home, 'keysDir'>): boolean {
  return lstatSync(join(keysDir, 'identity.pem'), { throwIfNoEntry: false }) !== undefined;
}

/** NOT_INITIALIZED: there is no node in a home, or its keys without a configuration. */
export function noNode(home: Home, cause?: unknown): WritError {
  const because = cause === undefined ? {} : { cause };
  if (!isThere(home)) {
    return new WritError('NOT_INITIALIZED', `there is no node in ${quote(home.root)}`, {
      ...{ nextSteps: ['writ init'], ...because },
    });
  }
  const says = `there are keys of a node in ${quote(home.keysDir)}, and no writ.toml in ${quote(home.configDir)}`;
  return new WritError('NOT_INITIALIZED', says, {
    nextSteps: [`bring back ${home.configFile}`, `or make a new one for these keys: ${KEEP}`],
    ...because,
  });
}

/** NOT_INITIALIZED where there is a configuration and not the key that its node is known by: neither to start nor to make anew. */
export function missingKeys(home: Home): WritError | undefined {
  if (!hasNode(home) || hasKeys(home)) return undefined;
  // What another key signed is none of the node that comes.
  const aside =
    leftOfIdentity(home) === undefined ? '' : `mv ${shellWord(home.dataDir)} ${shellWord(`${home.dataDir}.old`)} && `;
  const says = `there is a writ.toml in ${quote(home.configDir)}, and no keys of its node in ${quote(home.keysDir)}`;
  // It has its key in memory: it would go on beside the other one, out of files that nobody finds any more.
  const isRunning = runningPid(home) !== undefined;
  return new WritError('NOT_INITIALIZED', says, {
    nextSteps: [
      ...(isRunning ? ['end the node first that still runs without them: writ down'] : []),
      `put ${home.dataDir} back, from a backup of this node`,
      `or make another node of this writ.toml, which its peers do not know yet: ${isRunning ? 'writ down && ' : ''}${aside}${KEEP}`,
    ],
  });
}

/** The first file that is there of a node whose key is gone; undefined: none is. */
export function leftOfIdentity({ databaseFile, auditDir, keysDir }: Home): string | undefined {
  return [databaseFile, ...pathsIn(auditDir), ...pathsIn(keysDir)].find((path) => existsSync(path));
}

function pathsIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

function isThere(home: Home): boolean {
  try {
    return hasKeys(home);
  } catch {
    return false;
  }
}
