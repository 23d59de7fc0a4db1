import { type BigIntStats, stat } from 'node:fs';
import { promisify } from 'node:util';
import type { GitIn } from './checkout.ts';

/** What a repository says of its branches, tags and HEAD: all that a clone of it depends on. */
export interface SourceRefs {
  /** Full name of the branch that HEAD stands for; absent: HEAD is detached, or there is none. */
  readonly branch?: string;
  /** Commit of HEAD; absent: there is none. */
  readonly head?: string;
  /** Branches and tags by their full name; a tag's own object, not what it leads to. */
  readonly refs: ReadonlyMap<string, string>;
  /** Which folder it was. */
  readonly place: string;
}

const LINE = /^([0-9a-f]{40}|[0-9a-f]{64})\t(.+)$/;
const SYMBOLIC = /^ref: (refs\/heads\/.+)\tHEAD$/;
const KINDS = ['refs/heads/*', 'refs/tags/*'];
/** Branches and tags that a clone may be moved forward by; more, and another is made. */
const MOST_MOVED = 8;

const statOf = promisify<string, { bigint: true }, BigIntStats>(stat);

/** Asks a repository as a clone of it would. Undefined where it does not answer, or with what is not understood. */
export async function readSourceRefs(path: string, cwd: string, git: GitIn): Promise<SourceRefs | undefined> {
  const place = await placeOf(path);
  const answer = await git(['ls-remote', '--symref', '--', path, 'HEAD', ...KINDS], cwd);
  if (place === undefined || !answer.ok) return undefined;
  const refs = new Map<string, string>();
  let head: string | undefined;
  let branch: string | undefined;
  for (const line of answer.stdout.split('\n').filter((one) => one !== '')) {
    const symbolic = SYMBOLIC.exec(line)?.[1];
    if (symbolic !== undefined) {
      branch = symbolic;
      continue;
    }
    const [, id, name = ''] = LINE.exec(line) ?? [];
    if (id === undefined) {
      if (!line.startsWith('ref: ')) return undefined;
    } else if (name === 'HEAD') head = id;
    // Patterns also fit the ends of other names, and what a tag leads to is listed beside it.
    else if (/^refs\/(heads|tags)\//.test(name) && !name.endsWith('^{}')) refs.set(name, id);
  }
  return { refs, place, ...(head === undefined ? {} : { head }), ...(branch === undefined ? {} : { branch }) };
}

/** Whether a clone of the one is, to the last ref, a clone of the other. */
export function sameRefs(a: SourceRefs, b: SourceRefs): boolean {
  return a.place === b.place && a.head === b.head && a.branch === b.branch && sameMap(a.refs, b.refs);
}

function sameMap(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([name, id]) => b.get(name) === id);
}

/**
 * Branches that have moved from the one to the other, old commit and new. Undefined where the difference is one that a
 * clone cannot follow without keeping what its source has dropped: something is gone, a tag stands elsewhere, HEAD is
 * another branch, the folder is another one, or too much has moved.
 */
export function movedRefs(
  from: SourceRefs,
  to: SourceRefs,
): readonly { readonly was: string; readonly is: string }[] | undefined {
  if (from.place !== to.place || from.branch !== to.branch || from.branch === undefined) return undefined;
  const moved: { was: string; is: string }[] = [];
  for (const [name, was] of from.refs) {
    const is = to.refs.get(name);
    if (is === undefined) return undefined;
    if (is === was) continue;
    if (!name.startsWith('refs/heads/')) return undefined;
    moved.push({ was, is });
  }
  return moved.length <= MOST_MOVED ? moved : undefined;
}

/** Whether a clone holds exactly these branches and tags, and has their HEAD checked out. */
export async function isCloneOf(work: string, { refs, branch, head }: SourceRefs, git: GitIn): Promise<boolean> {
  const format = '--format=%(objectname)\t%(refname)';
  const listed = await git(['for-each-ref', format, 'refs/remotes/origin', 'refs/tags', 'refs/heads'], work);
  const at = await git(['rev-parse', '--quiet', '--verify', '--end-of-options', 'HEAD^{commit}'], work);
  if (!listed.ok || !at.ok || at.stdout.trim() !== head) return false;
  const own = new Map<string, string>();
  for (const line of listed.stdout.split('\n').filter((one) => one !== '')) {
    const [id = '', name = ''] = line.split('\t');
    if (name !== 'refs/remotes/origin/HEAD') own.set(name, id);
  }
  const wanted = new Map<string, string>();
  for (const [name, id] of refs) wanted.set(name.replace(/^refs\/heads\//, 'refs/remotes/origin/'), id);
  if (branch !== undefined && head !== undefined) wanted.set(branch, head);
  return sameMap(own, wanted);
}

async function placeOf(path: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await statOf(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}
