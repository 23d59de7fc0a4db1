import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrno } from '@writ/core';
import type { EvidenceKit } from '@writ/delegation';
import { createContentStore, createResultSigner, type RepositoryGuard } from '@writ/evidence';
import { createSignerCache } from '@writ/identity';
import { searchPath, type TaskRunner } from '@writ/runner';
import type { Environment } from '../env.ts';
import { EVIDENCE_LIMITS } from './evidence-limits.ts';
import type { Foundations } from './foundations.ts';
import { findOwnersWords } from './owners-words.ts';
import { resolveConfigPath } from './paths.ts';

/**
 * What both ends of tasks need for their evidence, after everything that an earlier boot left half done is gone: its
 * calls of git, their directories, and files that were being written.
 */
export async function openEvidence(
  base: Foundations,
  runner: Pick<TaskRunner, 'git' | 'gitRoom' | 'endStray'>,
  environment: Environment,
): Promise<EvidenceKit> {
  const { home, identity, pins, clock, random, stores } = base;
  const gitDirRoot = join(home.evidenceDir, 'git');
  const contentDir = join(home.evidenceDir, 'content');
  // What is beside them waits for tasks that are queued.
  const isGitDir = (name: string): boolean => name.startsWith('git-');
  if ((await namesIn(gitDirRoot)).some(isGitDir)) {
    // Git may still work there where the spawner was killed too. Every process is looked at, so only then.
    await runner.endStray([]);
    await removeFrom(gitDirRoot, isGitDir);
  }
  // What was being written; whatever is whole has another name.
  await removeFrom(contentDir, (name) => name.endsWith('.tmp'));
  return {
    git: runner.git,
    openRoom: runner.gitRoom,
    gitDirRoot,
    path: searchPath(environment.all.PATH),
    content: createContentStore({ dir: contentDir, random }),
    results: stores.results,
    signer: createResultSigner({ identity, clock }),
    identity,
    // Asked at each check: a peer whose pin is removed is trusted no more, whatever was received from it.
    trust: { self: identity.public, pins, signers: createSignerCache() },
    words: (asked, shell) => findOwnersWords(runner.git, environment, asked, shell),
    guard: guardOf(base),
    limits: EVIDENCE_LIMITS,
  };
}

/** Tasks write below these folders, each in its own; what they leave there is no repository of the owner's. */
function guardOf({ home, engine }: Foundations): RepositoryGuard {
  return {
    user: process.geteuid?.(),
    closed: [home.workspacesDir, home.evidenceDir, home.runDir, home.secretsDir],
    named: () =>
      [...engine.snapshot().config.workspaces.values()].map(({ path }) => resolveConfigPath(path, home.configFile)),
  };
}

async function removeFrom(folder: string, isLeft: (name: string) => boolean): Promise<void> {
  const left = (await namesIn(folder)).filter(isLeft).map((name) => join(folder, name));
  await Promise.all(left.map((path) => rm(path, { recursive: true, force: true, maxRetries: 3 })));
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return [];
    throw error;
  }
}
