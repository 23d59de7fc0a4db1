import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isWritError, quote, WritError } from '@writ/core';
import { changedFiles, diffstat, writePatch } from './changes.ts';
import { createGitDir, type GitDir } from './git-dir.ts';
import { snapshot } from './snapshot.ts';
import type { Changes, CollectRequest, ContentStore, GitStep, Stored } from './types.ts';

/** Full object id, SHA-1 or SHA-256. */
export const OBJECT_ID = /^([0-9a-f]{40}|[0-9a-f]{64})$/;

/** Ref that a bundle of this product carries. */
export const BUNDLE_REF = 'refs/writ/head';

/**
 * What has changed in the files of a task, as one tree against the commit that it began with: the node's own commit, the
 * list of files, the binary patch and a thin bundle. The same files give the same tree, list and patch on every machine.
 * Throws EVIDENCE_FAILED, with `details.step`, where any step fails; `none` is only answered where it was established.
 */
export function collectEvidence(request: CollectRequest): Promise<Changes> {
  return inGitDir(request, (git) => collectIn(git, request));
}

/** What is needed to say whether files differ from their base. */
export type ChangedQuestion = Omit<CollectRequest, 'store' | 'nodeId' | 'task'>;

/** Whether `collectEvidence` would find a change; nothing is stored. Throws EVIDENCE_FAILED like it. */
export function hasChanges(question: ChangedQuestion): Promise<boolean> {
  return inGitDir(question, async (git) => {
    const { base = null, limits, platform, workspaceDir } = question;
    const baseTree = await treeOf(git, base);
    return (await snapshot(git, { workspaceDir, whose: 'task', platform, baseTree, limits })).tree !== baseTree;
  });
}

async function inGitDir<T>(request: ChangedQuestion, work: (git: GitDir) => Promise<T>): Promise<T> {
  if (request.base !== undefined && (!OBJECT_ID.test(request.base) || request.baseRepository === undefined)) {
    throw new WritError('BAD_REQUEST', `${quote(request.base)} is no full commit id of a known repository`);
  }
  let git: GitDir | undefined;
  try {
    git = await createGitDir({
      ...request,
      code: 'EVIDENCE_FAILED',
      what: 'evidence cannot be collected',
      timeoutMs: request.limits.timeoutMs,
      objectFormat: request.objectFormat ?? (request.base?.length === 64 ? 'sha256' : 'sha1'),
      looksAt: [request.workspaceDir],
      borrowFrom: request.base === undefined ? [] : [request.baseRepository ?? ''],
    });
    return await work(git);
  } catch (error) {
    if (isWritError(error)) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new WritError('EVIDENCE_FAILED', `evidence cannot be collected: ${why}`, { cause: error });
  } finally {
    await git?.remove();
  }
}

async function collectIn(git: GitDir, request: CollectRequest): Promise<Changes> {
  const { base = null, limits, platform, store, workspaceDir } = request;
  const baseTree = await treeOf(git, base);
  const { tree, refused } = await snapshot(git, { workspaceDir, whose: 'task', platform, baseTree, limits });
  const named = refused.length === 0 ? {} : { refused };
  // INVARIANT: 10 nothing has changed only where two trees that git wrote are the same one.
  if (tree === baseTree) return { kind: 'none', base, tree, ...named };
  const head = await commit(git, request, tree, base);
  const files = await changedFiles(git, baseTree, tree, limits.maxChangedFiles);
  if (files.length === 0) throw git.fail('changes', 'the trees differ, the lists of files do not');
  const patchFile = join(git.dir, 'patch');
  await writePatch(git, baseTree, tree, patchFile);
  const patch = await keep(git, 'patch', store, patchFile, limits.maxPatchBytes);
  const bundleFile = join(git.dir, 'bundle');
  await writeBundle(git, head, base === null ? [] : [base], bundleFile);
  const bundle = await keep(git, 'bundle', store, bundleFile, limits.maxBundleBytes);
  return { kind: 'changed', base, head, tree, files, ...diffstat(files), patch, bundle, ...named };
}

/** The tree of a commit, or the empty tree. */
export async function treeOf(git: GitDir, base: string | null): Promise<string> {
  const answer =
    base === null
      ? await git.run('base', ['hash-object', '-t', 'tree', '-w', '--stdin'], { input: new Uint8Array() })
      : await git.run('base', ['rev-parse', '--verify', '--end-of-options', `${base}^{tree}`]);
  return readId(git, 'base', answer);
}

/** An object id that git answered with; anything else is a failure. */
function readId(git: GitDir, step: GitStep, answer: Buffer): string {
  const id = answer.toString('latin1').replace(/\n$/, '');
  if (!OBJECT_ID.test(id)) throw git.fail(step, 'git answered with no object id');
  return id;
}

/** A commit by the node; nothing in it but its arguments and the clock. */
export async function commit(
  git: GitDir,
  by: Pick<CollectRequest, 'nodeId' | 'clock' | 'task'>,
  tree: string,
  base: string | null,
): Promise<string> {
  const date = `${Math.floor(by.clock.nowMs() / 1000)} +0000`;
  const who = { NAME: `Writ node ${by.nodeId}`, EMAIL: `${by.nodeId}@writ.invalid`, DATE: date };
  const env = Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((role) => Object.entries(who).map(([key, value]) => [`GIT_${role}_${key}`, value])),
  );
  const parents = base === null ? [] : ['-p', base];
  const input = Buffer.from(`Work of task ${by.task}\n`);
  const answer = await git.run('commit', ['commit-tree', '--no-gpg-sign', ...parents, '-F', '-', tree], { env, input });
  return readId(git, 'commit', answer);
}

/** Writes a bundle of `head` without what the receiver has. */
export async function writeBundle(git: GitDir, head: string, without: readonly string[], file: string): Promise<void> {
  await git.run('bundle', ['update-ref', '--no-deref', BUNDLE_REF, head]);
  await git.run('bundle', ['bundle', 'create', '--quiet', file, BUNDLE_REF, ...without.map((id) => `^${id}`)]);
}

/** Puts a file that git wrote into the store. */
export async function keep(
  git: GitDir,
  step: GitStep,
  store: ContentStore,
  file: string,
  maxBytes: number,
): Promise<Stored> {
  const size = await stat(file).then(
    (found) => found.size,
    () => 0,
  );
  if (size === 0) throw git.fail(step, 'git wrote nothing');
  if (size > maxBytes) throw git.fail(step, `it is larger than ${maxBytes} bytes`);
  const stored = await store.put(createReadStream(file), maxBytes);
  if (stored.bytes !== size) throw git.fail(step, 'it is not whole');
  return stored;
}
