import { execFileSync } from 'node:child_process';
import { lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { quote, shellWord, WritError } from '@writ/core';
import type { Home } from '../home.ts';

/**
 * BAD_REQUEST where a home is another user's, as for root with a user's HOME: to take its files over would break their node.
 * Undefined where it is this user's, and where only some of it is another's, which is a fault of the home.
 */
export function foreignHome(home: Home, uid: number | undefined): WritError | undefined {
  if (uid === undefined) return undefined;
  const [owner, ...others] = new Set(
    [home.dataDir, home.configDir, home.keysDir].map(ownerOf).filter((one) => one !== undefined),
  );
  if (owner === undefined || owner === uid || others.length > 0) return undefined;
  // Whom the folder above belongs to may have lost what is in it to another; root has everybody's folders above.
  if (uid !== 0 && ownerOf(dirname(home.dataDir)) === uid) return undefined;
  return belongsTo(home, owner);
}

/** BAD_REQUEST: the home is the user's with the number `owner`, with the command that goes on as that user. */
export function belongsTo({ root, named }: Home, owner: number): WritError {
  const name = userName(owner);
  const words = ['sudo', '-u', name ?? `#${owner}`, 'writ', ...named.options, 'status'];
  return new WritError('BAD_REQUEST', `the home ${quote(root)} belongs to another user, ${quote(name ?? `${owner}`)}`, {
    details: { home: root, uid: owner },
    nextSteps: [`use writ as that user: ${words.map(shellWord).join(' ')}`],
  });
}

/** Whether `belongsTo` made an error. */
export function isForeignHome({ details }: WritError): boolean {
  return details.home !== undefined && details.uid !== undefined;
}

/** Number of the user whom a file or folder belongs to; undefined where there is none or nobody can say. */
export function ownerOf(path: string): number | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.uid;
  } catch {
    return undefined;
  }
}

function userName(uid: number): string | undefined {
  try {
    return execFileSync('id', ['-nu', `${uid}`], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}
