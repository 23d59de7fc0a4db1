import { readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createPrivateFile, ensurePrivateDirectory, quote, type Random, readPrivateFile, WritError } from '@writ/core';
import type { ControlClient } from '@writ/gateway/client';
import type { Home } from '../../home.ts';

/** Key file of an approver, where it is kept in the home. */
export function keyFileOf(home: Home, id: string): string {
  return join(home.approversDir, `${id}.json`);
}

/** Writes a sealed key with mode 0600. Throws CONFLICT where the file is there, BAD_REQUEST where it cannot be made. */
export async function writeKeyFile(path: string, home: Home, sealed: Uint8Array, random: Random): Promise<void> {
  if (path === join(home.approversDir, basename(path))) ensurePrivateDirectory(home.approversDir);
  let isNew: boolean;
  try {
    isNew = await createPrivateFile(path, Buffer.from(sealed).toString('utf8'), random);
  } catch (cause) {
    throw new WritError('BAD_REQUEST', `cannot write the key to ${quote(path)}: ${(cause as Error).message}`, {
      nextSteps: ['name a file in a folder that is there'],
      cause,
    });
  }
  if (!isNew) throw new WritError('CONFLICT', `${quote(path)} is there already`, { nextSteps: ['name another file'] });
}

/**
 * Sealed keys to try a passphrase on: the named file alone, or those in the home of the approvers that are enrolled.
 * Throws NOT_APPROVER where there is none, HOME_INSECURE where others can read one.
 */
export async function readKeyFiles(
  home: Home,
  enrolled: readonly string[],
  named: string | undefined,
): Promise<readonly Uint8Array[]> {
  const paths =
    named === undefined ? inHome(home).filter((path) => enrolled.includes(basename(path, '.json'))) : [named];
  const keys: Uint8Array[] = [];
  for (const path of paths) {
    const text = await readPrivateFile(path);
    if (text !== undefined) keys.push(Buffer.from(text));
  }
  if (keys.length > 0) return keys;
  const where = named === undefined ? quote(home.approversDir) : quote(named);
  throw new WritError('NOT_APPROVER', `there is no key of an approver of this node in ${where}`, {
    nextSteps: ['name the file that enrolling wrote: --key-file FILE', 'writ approver list'],
  });
}

function inHome({ approversDir }: Home): readonly string[] {
  try {
    return readdirSync(approversDir).map((name) => join(approversDir, name));
  } catch {
    return [];
  }
}

/**
 * A key that answers nothing is not left lying about; one that may be enrolled is kept: without it nobody could ever answer at
 * this node again, and an answer can be lost on its way back.
 */
export async function removeUnlessEnrolled(node: ControlClient, id: string, path: string): Promise<void> {
  const listed = await node.call('approver_list', {}).catch(() => undefined);
  if (listed !== undefined && !listed.approvers.some((approver) => approver.id === id)) await rm(path, { force: true });
}
