import { constants } from 'node:fs';
import { copyFile, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { hasErrno, type Random, syncDirectory, WritError } from '@writ/core';
import type { OwnerRepository } from './owner-repository.ts';
import { requireNoLinks } from './owner-repository.ts';
import type { Quarantine } from './quarantine.ts';

/** What belongs to one pack, in the order in which it has to be there: git looks for packs by the last. */
const PARTS = ['.pack', '.rev', '.idx'];

/**
 * Makes a branch of what was proved in quarantine: its packs, which git wrote and checked there, become the owner's, and one
 * ref is made. No other git reads them meanwhile, and no setting of the repository is in force. Throws GIT_FAILED.
 */
export async function bringIn(
  owner: OwnerRepository,
  { git }: Quarantine,
  random: Random,
  { branch, head }: { readonly branch: string; readonly head: string },
): Promise<void> {
  await requireNoLinks(owner.place, branch);
  await copyPacks(join(git.dir, 'objects', 'pack'), join(owner.place.objects, 'pack'), random);
  const none = '0'.repeat(head.length);
  const isThere = async (): Promise<boolean> => (await owner.commitOf(`refs/heads/${branch}`)) === head;
  try {
    await owner.ask('fetch', [0], ['update-ref', '--no-deref', `refs/heads/${branch}`, head, none]);
  } catch (error) {
    // Somebody else may have made the same one meanwhile.
    if (!(await isThere())) throw error;
  }
  if (!(await isThere())) {
    throw new WritError('GIT_FAILED', `branch ${branch} is not there although git said so`);
  }
}

async function copyPacks(from: string, to: string, random: Random): Promise<void> {
  await mkdir(to, { recursive: true });
  const names = await readdir(from);
  for (const part of PARTS) {
    for (const name of names.filter((one) => one.endsWith(part))) await copyWhole(join(from, name), to, random);
  }
  await syncDirectory(to);
}

/**
 * A pack is called by what is in it: one of that name is the same one. Of the half, which a node that is killed leaves, the name
 * is new each time; the owner's git clears away what begins like that.
 */
async function copyWhole(file: string, folder: string, random: Random): Promise<void> {
  const half = join(folder, `tmp_${Buffer.from(random.bytes(8)).toString('hex')}_${basename(file)}`);
  try {
    await copyFile(file, half, constants.COPYFILE_EXCL);
    const handle = await open(half, 'r');
    await handle.sync().finally(() => handle.close());
    await rename(half, join(folder, basename(file)));
  } catch (error) {
    if (!hasErrno(error, 'EEXIST')) await rm(half, { force: true });
    throw new WritError('GIT_FAILED', 'the objects of this work could not be put into the repository', {
      cause: error,
    });
  }
}
