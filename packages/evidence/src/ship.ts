import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrno, isWritError, quote, WritError } from '@writ/core';
import { BUNDLE_REF, commit, keep, OBJECT_ID, treeOf, writeBundle } from './collect.ts';
import { createGitDir, type GitDir } from './git-dir.ts';
import { borrowShallow, type OwnerRepository, openOwnerRepository, requireFolder } from './owner-repository.ts';
import { openQuarantine } from './quarantine.ts';
import { snapshot } from './snapshot.ts';
import type { BundleLimits, CollectLimits, ContentStore, GitWork, Stored } from './types.ts';

export interface ShipRequest extends GitWork {
  /** The owner's repository, or a folder in it. */
  readonly repository: string;
  /** Full ids of commits that the peer says it has; those that are not known here are of no use. */
  readonly peerHas: readonly string[];
  /** The owner's file of patterns to ignore everywhere (`core.excludesFile`), where there is one. */
  readonly excludesFile?: string;
  readonly nodeId: string;
  readonly task: string;
  /** Gets the bundle. */
  readonly store: ContentStore;
  readonly limits: Omit<CollectLimits, 'maxChangedFiles' | 'maxPatchBytes'>;
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
 * bundle without what the peer has. Nothing in the repository is changed. Throws GIT_FAILED naming the step,
 * BAD_REQUEST where there is no such folder, or no working tree in it.
 */
export async function shipWorkingTree(request: ShipRequest): Promise<Shipment> {
  const { limits } = request;
  const failing = { code: 'GIT_FAILED', timeoutMs: limits.timeoutMs } as const;
  await requireFolder(request.repository);
  const owner = openOwnerRepository(request, request.repository, failing);
  await requireWorkingTree(owner);
  let git: GitDir | undefined;
  try {
    const format = (await owner.ask('inspect', [0], ['rev-parse', '--show-object-format'])).text;
    git = await createGitDir({
      ...request,
      ...failing,
      what: 'the working tree cannot be shipped',
      objectFormat: format === 'sha256' ? 'sha256' : 'sha1',
      borrowFrom: [request.repository],
    });
    return await shipFrom(git, owner, request);
  } catch (error) {
    if (isWritError(error)) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new WritError('GIT_FAILED', `the working tree cannot be shipped: ${why}`, { cause: error });
  } finally {
    await git?.remove();
  }
}

async function requireWorkingTree(owner: OwnerRepository): Promise<void> {
  const { exitCode, text } = await owner.ask('inspect', [0, 128], ['rev-parse', '--is-inside-work-tree']);
  if (text === 'true') return;
  const why = exitCode === 0 ? 'has no working tree' : 'is in no repository';
  throw new WritError('BAD_REQUEST', `${quote(owner.dir)} ${why}, so there is nothing to ship`, {
    nextSteps: ['ship from a folder of a checked-out repository', 'name one with: --ship DIR'],
  });
}

async function shipFrom(git: GitDir, owner: OwnerRepository, request: ShipRequest): Promise<Shipment> {
  await borrowShallow(owner, git);
  await borrowExcludes(owner, git, request.excludesFile);
  const head = (await owner.commitOf('HEAD')) ?? null;
  const workspaceDir = (await owner.ask('inspect', [0], ['rev-parse', '--show-toplevel'])).text;
  const baseTree = await treeOf(git, head);
  const indexFile = await owner.pathOf('index');
  const { tree } = await snapshot(git, {
    ...{ workspaceDir, baseTree, indexFile },
    ...{ platform: request.platform, limits: request.limits },
  });
  const id = head !== null && tree === baseTree ? head : await commit(git, request, tree, head);
  const known: string[] = [];
  for (const has of request.peerHas) {
    if (OBJECT_ID.test(has) && (await owner.commitOf(has)) === has) known.push(has);
  }
  const missing = await git.run('bundle', ['rev-list', '--max-count=1', id, ...known.map((one) => `^${one}`)]);
  if (missing.length === 0) return { commit: id, head };
  const file = join(git.dir, 'bundle');
  await writeBundle(git, id, known, file);
  return { commit: id, head, bundle: await keep(git, 'bundle', request.store, file, request.limits.maxBundleBytes) };
}

/** What the owner ignores stays at home: patterns of this repository, of its settings, and of the owner everywhere. */
async function borrowExcludes(owner: OwnerRepository, git: GitDir, excludesFile: string | undefined): Promise<void> {
  const set = await owner.ask('inspect', [0, 1], ['config', '--local', '--type=path', '--get', 'core.excludesFile']);
  const files = [excludesFile, set.exitCode === 0 ? set.text : undefined, await owner.pathOf('info/exclude')];
  for (const file of files) {
    if (file === undefined || file === '') continue;
    const patterns = await readFile(file, 'utf8').catch((error) => {
      if (hasErrno(error, 'ENOENT')) return '';
      throw error;
    });
    await appendFile(join(git.dir, 'info', 'exclude'), `${patterns}\n`, { mode: 0o600 });
  }
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
  const failing = { code: 'GIT_FAILED', timeoutMs: request.limits.timeoutMs } as const;
  const owner = openOwnerRepository(request, request.repository, failing);
  const { git, head } = await openQuarantine(request, { ...request, owner });
  if (head !== request.commit) {
    await git.remove();
    throw git.fail('inspect', 'its head is not the commit that was announced');
  }
  return { commit: head, repository: git.dir, ref: BUNDLE_REF, remove: git.remove };
}
