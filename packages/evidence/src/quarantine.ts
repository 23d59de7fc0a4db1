import { readFile, stat } from 'node:fs/promises';
import { quote, sha256Hex, WritError } from '@writ/core';
import { type BundleHeader, readBundleHeader } from './bundle-header.ts';
import { BUNDLE_REF } from './collect.ts';
import { createGitDir, type GitDir } from './git-dir.ts';
import { borrowShallow, type OwnerRepository } from './owner-repository.ts';
import { scanPack } from './pack-scan.ts';
import { lackingIn } from './partial-clone.ts';
import { sharedForm } from './repository-settings.ts';
import { requireBoundedTree } from './tree-bounds.ts';
import type { BundleLimits, GitWork } from './types.ts';

/** A bundle unpacked in a git directory of the node's own that borrows the objects of one repository. */
export interface Quarantine {
  readonly git: GitDir;
  readonly head: string;
  readonly prerequisites: readonly string[];
}

/** A bundle as a file. */
export interface BundleFile {
  readonly bundleFile: string;
  /** What it has to be, where that is known; looked at before anything inside it. */
  readonly sha256?: string;
}

/**
 * Unpacks a bundle apart from every repository, after a look at what it would become; every object is checked, and that
 * all that it needs is there. Whoever gets it removes `git`. Throws EVIDENCE_INVALID; CONFLICT where the repository lacks
 * what the bundle builds on; nothing is left then.
 */
export async function openQuarantine(
  work: GitWork,
  request: BundleFile & {
    /** A bundle that this one builds on and the repository does not hold; checked in the same way. */
    readonly before?: BundleFile;
    readonly owner: OwnerRepository;
    readonly limits: BundleLimits;
  },
): Promise<Quarantine> {
  const { owner, limits } = request;
  const before = request.before && (await openBundle(work, request.before, limits));
  const { header, head, pack } = await openBundle(work, request, limits);
  if (header.objectFormat !== owner.objectFormat) throw ofAnotherKind(owner, header.objectFormat);
  for (const id of before?.header.prerequisites ?? []) await requireCommit(owner, id);
  for (const id of header.prerequisites) if (id !== before?.head) await requireCommit(owner, id);
  const git = await createGitDir({
    ...work,
    code: 'EVIDENCE_INVALID',
    what: 'the bundle is refused',
    timeoutMs: limits.timeoutMs,
    objectFormat: header.objectFormat,
    looksAt: [],
    // Its packs become the owner's as they are.
    form: sharedForm(owner.settings),
    borrowFrom: [owner.dir],
  });
  try {
    await borrowShallow(owner.place, git);
    const told = lackingIn(owner);
    if (before !== undefined) await unpack(git, before, limits).catch(told);
    await unpack(git, { header, head, pack }, limits).catch(told);
    await requireBoundedTree(git, head, limits).catch(told);
    return { git, head, prerequisites: header.prerequisites };
  } catch (error) {
    await git.remove();
    throw error;
  }
}

interface Bundle {
  readonly header: BundleHeader;
  readonly head: string;
  readonly pack: Buffer;
}

/** Reads a bundle about one commit; nothing of it is unpacked yet. Throws EVIDENCE_INVALID. */
async function openBundle(work: GitWork, { bundleFile, sha256 }: BundleFile, limits: BundleLimits): Promise<Bundle> {
  const { size } = await stat(bundleFile);
  if (size > limits.maxBundleBytes) throw refuse(`it is larger than ${limits.maxBundleBytes} bytes`);
  const bundle = await readFile(bundleFile);
  if (sha256 !== undefined && sha256Hex(bundle) !== sha256) throw refuse('the bundle is not what was signed');
  const header = readBundleHeader(bundle);
  const [ref, ...others] = header.refs;
  if (ref?.name !== BUNDLE_REF || others.length > 0) throw refuse(`it is not about ${BUNDLE_REF} alone`);
  const pack = bundle.subarray(header.packAt);
  await scanPack(pack, header.objectFormat === 'sha256' ? 32 : 20, limits, work.clock);
  return { header, head: ref.id, pack };
}

/** Throws CONFLICT where a repository does not hold a commit. */
export async function requireCommit(owner: OwnerRepository, id: string): Promise<void> {
  if ((await owner.commitOf(id)) !== undefined) return;
  throw new WritError('CONFLICT', `${quote(owner.dir)} does not hold commit ${id}, which this work builds on`, {
    details: { commit: id, repository: owner.dir },
    nextSteps: ['use the repository that the task was about', 'where it is that one, fetch the commit first'],
  });
}

function ofAnotherKind(owner: OwnerRepository, format: string): WritError {
  const why = `names its objects by ${owner.objectFormat}, and this work by ${format}`;
  return new WritError('CONFLICT', `${quote(owner.dir)} ${why}`, {
    details: { repository: owner.dir, ours: owner.objectFormat, theirs: format },
    nextSteps: ['use the repository that the task was about'],
  });
}

async function unpack(git: GitDir, { header, head, pack }: Bundle, limits: BundleLimits): Promise<void> {
  const bounds = [`--max-input-size=${limits.maxBundleBytes}`, '--threads=1'];
  await git.run('unpack', ['index-pack', '--stdin', '--fix-thin', '--strict', ...bounds], { input: pack });
  const type = await git.run('unpack', ['cat-file', '-t', head]);
  if (type.toString('latin1').trim() !== 'commit') throw git.fail('unpack', 'its head is no commit');
  const without = header.prerequisites.map((id) => `^${id}`);
  await git.run('unpack', ['rev-list', '--objects', '--quiet', head, ...without]);
  await git.run('unpack', ['update-ref', '--no-deref', BUNDLE_REF, head]);
}

function refuse(why: string): WritError {
  return new WritError('EVIDENCE_INVALID', `the bundle is refused: ${why}`, { details: { check: 'bundle' } });
}
