import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isWritError, quote, WritError } from '@writ/core';
import { BUNDLE_REF, commit, keep, OBJECT_ID, treeOf, writeBundle } from './collect.ts';
import { borrowWords, DISK_FORM, formOf } from './disk-form.ts';
import { createGitDir, type GitDir } from './git-dir.ts';
import { borrowShallow, inOwnerRepository, type OwnerRepository, workTreeOf } from './owner-repository.ts';
import type { OwnersTree } from './owners-files.ts';
import { isDriven, type OwnersWords, settingsWith } from './owners-words.ts';
import { lackingIn } from './partial-clone.ts';
import { openQuarantine } from './quarantine.ts';
import type { OwnersShell, ReadOwnersWords } from './read-words.ts';
import type { RepositoryGuard } from './repository-guard.ts';
import { isSet, SPARSE } from './repository-settings.ts';
import { snapshot } from './snapshot.ts';
import type { BundleLimits, CollectLimits, ContentStore, GitWork, Stored } from './types.ts';
import { ATTRIBUTES_BELOW, borrowAttributes, namedFile, readAll } from './words-files.ts';
import { wordsHere } from './words-here.ts';

export interface ShipRequest extends GitWork {
  /** The owner's repository, or a folder in it. */
  readonly repository: string;
  /** Full ids of commits that the peer says it has; those that are not known here are of no use. */
  readonly peerHas: readonly string[];
  /** Reads what the owner has told git, where that is known. */
  readonly words?: ReadOwnersWords;
  /** Of whoever asks; absent: it is not known. */
  readonly shell?: Pick<OwnersShell, 'variables'> | undefined;
  readonly nodeId: string;
  readonly task: string;
  /** Gets the bundle. */
  readonly store: ContentStore;
  readonly limits: Omit<CollectLimits, 'maxChangedFiles' | 'maxPatchBytes'>;
  /** Which repositories may be named. */
  readonly guard: RepositoryGuard;
}

/** What has to go to the peer. `bundle` is absent where it has the commit already. */
export interface Shipment {
  /** Holds all that is to be worked on. */
  readonly commit: string;
  /** What is committed here; null in a repository without commits. */
  readonly head: string | null;
  readonly bundle?: Stored;
}

/**
 * The working tree as one commit: what is committed, with uncommitted and untracked files on top (ignored ones not), as a
 * bundle without what the peer has. What the owner's git takes for unchanged is as it is committed or staged. Nothing in the repository is changed. Throws GIT_FAILED naming the step,
 * BAD_REQUEST where there is no such folder, or no working tree in it, CONFLICT where it is a partial clone that lacks what
 * has to be sent.
 */
export async function shipWorkingTree(request: ShipRequest): Promise<Shipment> {
  const { guard, limits, repository } = request;
  const failing = { code: 'GIT_FAILED', timeoutMs: limits.timeoutMs } as const;
  return inOwnerRepository(request, repository, { ...failing, guard, option: '--ship DIR' }, async (owner) => {
    const workspaceDir = await requireWorkingTree(owner);
    let git: GitDir | undefined;
    try {
      const { objectFormat } = owner;
      const what = 'the working tree cannot be shipped';
      const words = await wordsHere(owner, request.words, request.shell);
      if (words?.unread !== undefined) throw unreadWords(words.unread);
      const form = [...formOf(settingsWith(words, owner.settings), DISK_FORM), ...ATTRIBUTES_BELOW];
      git = await createGitDir({ ...request, ...failing, what, objectFormat, form, borrowFrom: [repository] });
      await borrowWords(git, owner.place.commonDir, 'attributes');
      await borrowAttributes(owner, git, words);
      return await shipFrom(git, { owner, workspaceDir, words }, request);
    } catch (error) {
      if (isWritError(error)) throw error;
      const why = error instanceof Error ? error.message : String(error);
      throw new WritError('GIT_FAILED', `the working tree cannot be shipped: ${why}`, { cause: error });
    } finally {
      await git?.remove();
    }
  });
}

async function requireWorkingTree(owner: OwnerRepository): Promise<string> {
  const workTree = await workTreeOf(owner);
  if (workTree !== undefined) return workTree;
  throw new WritError('BAD_REQUEST', `${quote(owner.dir)} has no working tree, so there is nothing to ship`, {
    nextSteps: ['ship from a folder of a checked-out repository', 'name one with: --ship DIR'],
  });
}

function unreadWords(why: string): WritError {
  const what = 'what you have told git cannot be read, what it ignores neither';
  return new WritError('GIT_FAILED', `the working tree cannot be shipped: ${what}: ${why}`, {
    nextSteps: ['see what git says there: git config --list', 'mend that, then ship again'],
  });
}

interface ShippedTree {
  readonly owner: OwnerRepository;
  readonly workspaceDir: string;
  readonly words: OwnersWords | undefined;
}

async function shipFrom(
  git: GitDir,
  { owner, workspaceDir, words }: ShippedTree,
  request: ShipRequest,
): Promise<Shipment> {
  await borrowShallow(owner.place, git);
  await borrowExcludes(owner, git, words);
  const head = (await owner.commitOf('HEAD')) ?? null;
  const baseTree = await treeOf(git, head);
  const { tree } = await snapshot(git, {
    ...{ workspaceDir, baseTree, whose: ownersTree(owner, words) },
    ...{ platform: request.platform, limits: request.limits },
  });
  const id = head !== null && tree === baseTree ? head : await commit(git, request, tree, head);
  const known: string[] = [];
  for (const has of request.peerHas) {
    if (OBJECT_ID.test(has) && (await owner.commitOf(has)) === has) known.push(has);
  }
  const told = lackingIn(owner);
  const listing = ['rev-list', '--max-count=1', id, ...known.map((one) => `^${one}`)];
  const missing = await git.run('bundle', listing).catch(told);
  if (missing.length === 0) return { commit: id, head };
  const file = join(git.dir, 'bundle');
  await writeBundle(git, id, known, file).catch(told);
  return { commit: id, head, bundle: await keep(git, 'bundle', request.store, file, request.limits.maxBundleBytes) };
}

function ownersTree({ place, settings: own }: OwnerRepository, words: OwnersWords | undefined): OwnersTree {
  const settings = settingsWith(words, own);
  const [inForce, leftAlone] = SPARSE;
  return {
    indexFile: join(place.gitDir, 'index'),
    isSparse: isSet(settings, inForce) && !isSet(settings, leftAlone),
    isDriven: (filter) => isDriven(words, own, filter, 'clean'),
  };
}

/** What the owner ignores stays at home: patterns of this repository, and of its settings or the owner's everywhere. */
async function borrowExcludes(owner: OwnerRepository, git: GitDir, words: OwnersWords | undefined): Promise<void> {
  const named = namedFile(owner, git, 'core.excludesFile', words);
  const patterns = await readAll([named, join(owner.place.commonDir, 'info/exclude')]);
  await writeFile(join(git.dir, 'info', 'exclude'), patterns, { mode: 0o600 });
}

/** What was shipped, unpacked apart from the workspace. */
export interface Received {
  readonly commit: string;
  /** A bare repository, for the workspace of the task to be cloned from; borrows from the workspace. */
  readonly repository: string;
  readonly ref: string;
  remove(): Promise<void>;
}

/**
 * Unpacks what was shipped in quarantine. Throws EVIDENCE_INVALID where the bundle is broken, too large, or not of
 * the commit that was announced; CONFLICT where this workspace lacks what it builds on.
 */
export async function receiveShipped(
  request: GitWork & {
    readonly bundleFile: string;
    /** The workspace that the bundle builds on. */
    readonly repository: string;
    readonly commit: string;
    /** Of the bundle, where it was announced. */
    readonly sha256?: string;
    readonly limits: BundleLimits;
  },
): Promise<Received> {
  const { limits, repository } = request;
  const opening = { code: 'GIT_FAILED', timeoutMs: limits.timeoutMs } as const;
  const { git, head } = await inOwnerRepository(request, repository, opening, (owner) =>
    openQuarantine(request, { ...request, owner }),
  );
  if (head !== request.commit) {
    await git.remove();
    throw git.fail('inspect', 'its head is not the commit that was announced');
  }
  return { commit: head, repository: git.dir, ref: BUNDLE_REF, remove: git.remove };
}
