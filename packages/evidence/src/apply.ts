import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson, type Json, quote, WritError } from '@writ/core';
import { bringIn } from './bring-in.ts';
import { changedFiles, writePatch } from './changes.ts';
import { requireSwitchable, requireUnfiltered, switchTo } from './check-out.ts';
import { treeOf } from './collect.ts';
import { type Fit, fitOf } from './fit.ts';
import { inOwnerRepository, type OwnerRepository } from './owner-repository.ts';
import { lackingIn } from './partial-clone.ts';
import { type BundleFile, openQuarantine, type Quarantine, requireCommit } from './quarantine.ts';
import type { OwnersShell, ReadOwnersWords } from './read-words.ts';
import type { RepositoryGuard } from './repository-guard.ts';
import type { Result } from './result-schema.ts';
import type { BundleLimits, GitWork } from './types.ts';
import { withUmask } from './with-umask.ts';
import { wordsHere } from './words-here.ts';

/** What `apply` came to. `branch` is short (`writ/TASK`). */
export type Applied =
  | { readonly kind: 'nothing'; readonly why: string }
  | {
      /** `checked`: it could be applied, and nothing was done. `present`: the branch is there already. */
      readonly kind: 'checked' | 'applied' | 'present';
      readonly branch: string;
      readonly head: string;
      readonly base: string | null;
      readonly fit: Fit;
      readonly checkedOut: boolean;
    };

export interface ApplyRequest extends GitWork {
  /** Of a verified envelope; its digests are checked again against the bundle. */
  readonly result: Result;
  readonly bundleFile: string;
  /** The working tree that was sent along, which the task began with; the repository itself does not hold it. */
  readonly shipped?: { readonly commit: string; readonly bundle?: BundleFile };
  /** The owner's repository, or a folder in it. */
  readonly repository: string;
  /** Only says what would be. */
  readonly check: boolean;
  /** Switches the working tree to the branch afterwards; refused where it is not clean. */
  readonly checkout: boolean;
  /** Reads what the owner has told git, where that is known; of no use but for `checkout`. */
  readonly words?: ReadOwnersWords | undefined;
  /** Of whoever asks; absent: it is not known. */
  readonly shell?: OwnersShell | undefined;
  readonly limits: BundleLimits;
  /** Which repositories may be named. */
  readonly guard: RepositoryGuard;
}

type Changed = Extract<Result['changes'], { kind: 'changed' }>;

/**
 * Makes a branch of a verified result: the bundle is unpacked in quarantine, proved to hold exactly what was signed, and
 * brought in from there. No working tree, setting, hook or other ref is touched, unless `checkout` says so; no program that
 * the repository names is run, `checkout` or not. Throws
 * EVIDENCE_INVALID where the bundle is not what was signed, CONFLICT where the repository is another one, the branch is
 * taken, or the working tree is not clean, EVIDENCE_FAILED where the changes were never collected, BAD_REQUEST where there is
 * no such folder, GIT_FAILED.
 */
export async function applyResult(asked: ApplyRequest): Promise<Applied> {
  const request = withUmask(asked, asked.shell?.umask);
  const { changes, task } = request.result;
  if (changes.kind === 'uncollected') throw notCollected(changes.step);
  if (changes.kind === 'no-workspace') return { kind: 'nothing', why: 'the task had no repository' };
  // INVARIANT: 10 that nothing has changed is only said where it was established.
  if (changes.kind === 'none') return { kind: 'nothing', why: 'the task has changed no file' };
  const branch = branchOf(task);
  const { guard, limits } = request;
  const opening = { code: 'GIT_FAILED', timeoutMs: limits.timeoutMs, guard, option: '--repo DIR' } as const;
  return inOwnerRepository(request, request.repository, opening, (owner) => applyTo(owner, request, changes, branch));
}

async function applyTo(
  owner: OwnerRepository,
  request: ApplyRequest,
  changes: Changed,
  branch: string,
): Promise<Applied> {
  const { shipped } = request;
  const isShipped = shipped?.bundle !== undefined && shipped.commit === changes.base;
  const before = isShipped ? shipped.bundle : undefined;
  if (changes.base !== null && before === undefined) await requireCommit(owner, changes.base);
  const words = request.checkout ? await wordsHere(owner, request.words, request.shell) : undefined;
  const tree = request.checkout ? await requireSwitchable(owner, branch, words) : undefined;
  const quarantine = await openQuarantine(request, {
    ...request,
    owner,
    sha256: changes.bundle.sha256,
    ...(before === undefined ? {} : { before }),
  });
  try {
    const told = lackingIn(owner);
    await prove(quarantine, changes).catch(told);
    const fit = await fitOf(quarantine, owner, changes).catch(told);
    await requirePlain(owner, branch);
    const there = await owner.commitOf(`refs/heads/${branch}`);
    if (there !== undefined && there !== changes.head) throw taken(branch, there);
    const about = { branch, head: changes.head, base: changes.base, fit };
    if (tree !== undefined) await requireUnfiltered(owner, quarantine.git, { ...about, words });
    if (request.check) return { kind: 'checked', ...about, checkedOut: false };
    if (there === undefined) await bringIn(owner, quarantine, request.random, about);
    if (tree !== undefined) await switchTo(owner, tree);
    return { kind: there === undefined ? 'applied' : 'present', ...about, checkedOut: request.checkout };
  } finally {
    await quarantine.git.remove();
  }
}

/** The branch of a task. Throws BAD_REQUEST for an id that could be no part of a ref. */
export function branchOf(task: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(task) || /\.\.|\.lock$|\.$/.test(task)) {
    throw new WritError('BAD_REQUEST', `no branch can be named after task ${quote(task)}`);
  }
  return `writ/${task}`;
}

/** INVARIANT: 10 what is applied is what was signed: head, base, tree, files and patch, as the bundle before. */
async function prove({ git, head, prerequisites }: Quarantine, changes: Changed): Promise<void> {
  const differs = (what: string): Error => git.fail('inspect', `${what} is not what was signed`);
  if (head !== changes.head) throw differs('its head');
  if (prerequisites.some((id) => id !== changes.base)) throw differs('what it builds on');
  if ((await treeOf(git, head)) !== changes.tree) throw differs('its tree');
  const parents = await git.run('inspect', ['rev-list', '--parents', '--max-count=1', head]);
  if (parents.toString('latin1').trim() !== [head, ...(changes.base === null ? [] : [changes.base])].join(' ')) {
    throw differs('the commit before it');
  }
  const from = await treeOf(git, changes.base);
  const files = await changedFiles(git, from, changes.tree, changes.files.length);
  if (canonicalJson(files as unknown as Json) !== canonicalJson(changes.files as unknown as Json)) {
    throw differs('the list of changed files');
  }
  const patch = join(git.dir, 'patch');
  await writePatch(git, from, changes.tree, patch);
  if ((await sha256Of(patch)) !== changes.patch.sha256) throw differs('the patch');
}

/** A branch that is another name of a branch would move that one, and one in the way of its folder cannot be beside it. */
async function requirePlain(owner: OwnerRepository, branch: string): Promise<void> {
  const [folder = ''] = branch.split('/');
  // Everything below the folder, and a branch that has its name.
  const list = ['for-each-ref', '--format=%(refname:lstrip=2)', `refs/heads/${folder}`];
  const refs = (await owner.ask('inspect', [0], list)).text.split('\n');
  const inTheWay = refs.find((name) => name === folder || name.startsWith(`${branch}/`));
  if (inTheWay !== undefined) {
    throw new WritError('CONFLICT', `branch ${quote(inTheWay)} leaves no room for branch ${branch}`, {
      nextSteps: [`rename it: git branch -m ${inTheWay} NAME`],
    });
  }
  const { exitCode, text } = await owner.ask('inspect', [0, 1], ['symbolic-ref', '--quiet', `refs/heads/${branch}`]);
  if (exitCode !== 0) return;
  throw new WritError('CONFLICT', `branch ${branch} is another name of ${quote(text)}`, {
    nextSteps: [`look at it, then git symbolic-ref --delete refs/heads/${branch}`],
  });
}

function notCollected(step: string): WritError {
  return new WritError(
    'EVIDENCE_FAILED',
    `what the task changed was not collected (step \`${step}\`), so there is nothing to apply`,
    {
      details: { step },
      nextSteps: ['ask a person at the node that ran it, or run the task again'],
    },
  );
}

function taken(branch: string, there: string): WritError {
  return new WritError('CONFLICT', `branch ${branch} exists with other commits (${there.slice(0, 12)})`, {
    details: { branch, head: there },
    nextSteps: [`look at it, then git branch -D ${branch}`],
  });
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
