import { quote, shellWord, WritError } from '@writ/core';
import type { GitResult } from '../git.ts';
import type { Clone, WorkspaceSource } from './types.ts';

type Shipped = NonNullable<WorkspaceSource['shipped']>;

/** A git command in a folder. */
export type GitIn = (args: readonly string[], cwd: string) => Promise<GitResult>;

/** A push from a task's clone leads here: what a task has done is shipped by the node. */
const NO_PUSH = '/dev/null/the-node-ships-the-work';
/** Lets a commit be fetched by its id, whether or not a branch leads to it. */
const BY_ID = ['-c', 'protocol.version=2'];
const FULL_ID = /^([0-9a-f]{40}|[0-9a-f]{64})$/;
/** Full or shortened commit id. */
const COMMIT = /^[0-9a-f]{7,64}$/i;
/** What git allows in no ref name (git-check-ref-format), and a leading `-`, which would be an option. */
const BAD_REF = /^-|[\p{Cc} ~^:?*[\\]|\.\.|@\{|\/\/|^\/|\/$|\.$|\.lock(\/|$)/u;

/**
 * Clones a repository into `place.work` and checks out the wanted branch, tag or commit there, or the commit that was
 * sent along. What is committed is used: changes in the source's working tree are not. The clone shares no file, hook or
 * setting with its source, and a repository without commits gives an empty clone. Gives what it has checked out. Throws
 * GIT_FAILED or BAD_REQUEST.
 */
export async function checkout(
  source: WorkspaceSource,
  place: { readonly folder: string; readonly work: string },
  git: GitIn,
): Promise<Clone> {
  const isHead = source.shipped === undefined && wantedRef(source) === undefined;
  await clone(source, place, git, isHead);
  return switchTo(source, place.work, git);
}

/** Clones a repository, with what its HEAD leads to checked out where `isHead`. Throws GIT_FAILED. */
export async function clone(
  source: WorkspaceSource,
  place: { readonly folder: string; readonly work: string },
  git: GitIn,
  isHead: boolean,
): Promise<void> {
  const waiting = isHead ? [] : ['--no-checkout'];
  // Through git's own transport: it hands over what branches and tags lead to, where a copy of the objects would have
  // what was dropped, stashed or only staged too, and would borrow where the source borrows.
  const options = ['--quiet', '--no-local', ...waiting, '--template=', '-c', `remote.origin.pushurl=${NO_PUSH}`];
  const cloned = await git(['clone', ...options, '--', source.path, place.work], place.folder);
  if (cloned.ok) return;
  const why = `cannot be cloned from ${quote(source.path)}: ${cloned.reason}`;
  if (!(await isPartial(source, git))) throw gitFailed(source, why);
  throw gitFailed(source, `${why}: it is a partial clone, and lacks some of its objects`, [
    `on the executing node, fetch them: git -C ${shellWord(source.path)} fetch --refetch --no-filter`,
    'or let the workspace be a clone that is whole',
  ]);
}

/** Whether a repository lacks objects by agreement with a server. */
async function isPartial(source: WorkspaceSource, git: GitIn): Promise<boolean> {
  const keys = '^(extensions\\.partialclone|remote\\..*\\.promisor)$';
  return (await git(['config', '--local', '--name-only', '--get-regexp', keys], source.path)).ok;
}

/** Checks out what is wanted in a clone whose HEAD is that of its source. Throws GIT_FAILED or BAD_REQUEST. */
export async function switchTo(source: WorkspaceSource, work: string, git: GitIn): Promise<Clone> {
  const { shipped } = source;
  const ref = wantedRef(source);
  const target = await findTarget(source, ref, work, git);
  if (target !== undefined) {
    const done = await git(['checkout', '--quiet', '--no-recurse-submodules', ...target], work);
    const what = shipped === undefined ? quote(ref ?? 'HEAD') : `what was sent along: commit ${shipped.commit}`;
    if (!done.ok) throw gitFailed(source, `cannot check out ${what}: ${done.reason}`);
  }
  return describeClone(source, work, git);
}

/** The branch, tag or commit that is wanted; undefined: what HEAD leads to, or what was sent along. */
function wantedRef({ ref, shipped }: WorkspaceSource): string | undefined {
  if (ref === undefined || ref === 'HEAD' || shipped !== undefined) return undefined;
  if (ref !== '' && !BAD_REF.test(ref)) return ref;
  throw new WritError('BAD_REQUEST', `${quote(ref)} is no name of a branch, tag or commit`, { details: { ref } });
}

/** What `git checkout` is told; undefined where the clone has checked out what is wanted. */
async function findTarget(
  source: WorkspaceSource,
  ref: string | undefined,
  work: string,
  git: GitIn,
): Promise<readonly string[] | undefined> {
  if (source.shipped !== undefined) return fetchShipped(source, source.shipped, work, git);
  if (ref === undefined) return undefined;
  const target = await findRef(ref, work, git);
  if (target === undefined) {
    // Whoever asked named it, so the code is one whose message that reader gets.
    throw new WritError('BAD_REQUEST', `workspace ${quote(source.name)} has no branch, tag or commit ${quote(ref)}`, {
      details: { workspace: source.name, ref },
    });
  }
  return target;
}

/** The clone has the workspace's own commits; only what was sent along comes from beside it. */
async function fetchShipped(
  source: WorkspaceSource,
  { repository, commit }: Shipped,
  work: string,
  git: GitIn,
): Promise<readonly string[]> {
  if (!FULL_ID.test(commit)) throw new WritError('BAD_REQUEST', `${quote(commit)} is no full commit id`);
  const from = [...BY_ID, 'fetch', '--quiet', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head'];
  const fetched = await git([...from, '--', repository, commit], work);
  if (!fetched.ok) throw gitFailed(source, `cannot take over what was sent along: ${fetched.reason}`);
  return ['--detach', commit];
}

/** Asked before the run begins: whatever its repository says later is the run's own word. */
async function describeClone(source: WorkspaceSource, work: string, git: GitIn): Promise<Clone> {
  const ask = async (cwd: string): Promise<readonly string[]> => {
    const asked = await git(['rev-parse', '--show-object-format', '--revs-only', 'HEAD'], cwd);
    const [format = '', base = ''] = asked.stdout.split('\n');
    if (asked.ok && (base === '' || FULL_ID.test(base))) return [format, base];
    throw gitFailed(source, `does not say which commit it is at: ${asked.reason}`);
  };
  const [format, base] = await ask(work);
  // The clone of a repository without commits does not always take over its format.
  const [objectFormat] = base ? [format] : await ask(source.path);
  if (objectFormat !== 'sha1' && objectFormat !== 'sha256') {
    throw gitFailed(source, `holds objects of format ${quote(objectFormat ?? '')}, which is not known`);
  }
  const { repository } = source.shipped ?? { repository: source.path };
  return { ...(base ? { base } : {}), objectFormat, source: repository };
}

/** Arguments of `git checkout` for a branch (made anew, with the same name), a tag, or a commit, in this order. */
async function findRef(ref: string, work: string, git: GitIn): Promise<readonly string[] | undefined> {
  const short = ref.replace(/^refs\/(heads|tags)\//, '');
  const asBranch = `refs/remotes/origin/${short}`;
  const asTag = `refs/tags/${short}`;
  const listed = await git(['for-each-ref', '--format=%(refname)', asBranch, asTag], work);
  const refs = listed.stdout.split('\n');
  if (!ref.startsWith('refs/tags/') && short !== 'HEAD' && refs.includes(asBranch)) {
    return ['--no-track', '-B', short, asBranch];
  }
  if (!ref.startsWith('refs/heads/') && refs.includes(asTag)) return ['--detach', `${asTag}^{commit}`];
  if (!COMMIT.test(ref)) return undefined;
  const commit = await git(['rev-parse', '--quiet', '--verify', '--end-of-options', `${ref}^{commit}`], work);
  return commit.ok ? ['--detach', commit.stdout.trim()] : undefined;
}

function gitFailed(
  source: WorkspaceSource,
  what: string,
  nextSteps = [`on the executing node, look at ${quote(source.path)}: only what is committed there can be used`],
): WritError {
  return new WritError('GIT_FAILED', `workspace ${quote(source.name)} ${what}`, {
    details: { workspace: source.name, path: source.path, ref: source.ref ?? null },
    nextSteps,
  });
}
