import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { quote, WritError } from '@writ/core';
import type { GitResult } from './git.ts';
import type { WorkspaceSource } from './types.ts';

/** A git command in a folder. */
export type GitIn = (args: readonly string[], cwd: string) => Promise<GitResult>;

/** A push from a task's clone leads here: what a task has done is shipped by the node. */
const NO_PUSH = '/dev/null/the-node-ships-the-work';
/** Full or shortened commit id. */
const COMMIT = /^[0-9a-f]{7,64}$/i;
/** What git allows in no ref name (git-check-ref-format), and a leading `-`, which would be an option. */
const BAD_REF = /^-|[\p{Cc} ~^:?*[\\]|\.\.|@\{|\/\/|^\/|\/$|\.$|\.lock(\/|$)/u;

/**
 * Clones a repository into `place.work` and checks out the wanted branch, tag or commit there. What is committed is
 * used: changes in the source's working tree are not. The clone shares no file, hook or setting with its source, and a
 * repository without commits gives an empty clone. Throws GIT_FAILED or BAD_REQUEST.
 */
export async function checkout(
  source: WorkspaceSource,
  place: { readonly folder: string; readonly work: string },
  git: GitIn,
): Promise<void> {
  // The clone itself checks out what HEAD is there.
  const ref = source.ref === 'HEAD' ? undefined : source.ref;
  if (ref !== undefined && (ref === '' || BAD_REF.test(ref))) {
    throw new WritError('BAD_REQUEST', `${quote(ref)} is no name of a branch, tag or commit`, { details: { ref } });
  }
  const copying = (await hasAlternates(source.path)) ? '--no-local' : '--no-hardlinks';
  const waiting = ref === undefined ? [] : ['--no-checkout'];
  const clone = ['clone', '--quiet', copying, ...waiting, '--template=', '-c', `remote.origin.pushurl=${NO_PUSH}`];
  const cloned = await git([...clone, '--', source.path, place.work], place.folder);
  if (!cloned.ok) throw gitFailed(source, `cannot be cloned from ${quote(source.path)}: ${cloned.reason}`);
  if (ref === undefined) return;
  const target = await findRef(ref, place.work, git);
  if (target === undefined) throw gitFailed(source, `has no branch, tag or commit ${quote(ref)}`);
  const done = await git(['checkout', '--quiet', '--no-recurse-submodules', ...target], place.work);
  if (!done.ok) throw gitFailed(source, `cannot check out ${quote(ref)}: ${done.reason}`);
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

/** A source that borrows objects from another repository is copied through git's own transport, else its clone would borrow too. */
async function hasAlternates(path: string): Promise<boolean> {
  const places = [join(path, '.git', 'objects'), join(path, 'objects')];
  const found = await Promise.all(
    places.map((objects) =>
      stat(join(objects, 'info', 'alternates')).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.includes(true);
}

function gitFailed(source: WorkspaceSource, what: string): WritError {
  return new WritError('GIT_FAILED', `workspace ${quote(source.name)} ${what}`, {
    details: { workspace: source.name, path: source.path, ref: source.ref ?? null },
    nextSteps: [`on the executing node, look at ${quote(source.path)}: only what is committed there can be used`],
  });
}
