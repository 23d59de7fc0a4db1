import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { EvidenceKit } from '@writ/delegation';
import { createContentStore, createResultSigner } from '@writ/evidence';
import { searchPath, type TaskRunner } from '@writ/runner';
import type { Environment } from '../env.ts';
import { EVIDENCE_LIMITS } from './evidence-limits.ts';
import { findExcludesFile } from './excludes-file.ts';
import type { Foundations } from './foundations.ts';

/**
 * What both ends of tasks need for their evidence, after everything that an earlier boot left half done is gone: its
 * calls of git, their directories, and files that were being written.
 */
export async function openEvidence(
  base: Foundations,
  runner: Pick<TaskRunner, 'git' | 'endStray'>,
  environment: Environment,
): Promise<EvidenceKit> {
  const { home, identity, pins, clock, random, stores } = base;
  const gitDirRoot = join(home.evidenceDir, 'git');
  const contentDir = join(home.evidenceDir, 'content');
  await runner.endStray([]);
  await rm(gitDirRoot, { recursive: true, force: true, maxRetries: 3 });
  await removeUnfinished(contentDir);
  const excludesFile = await findExcludesFile(runner.git, environment);
  return {
    git: runner.git,
    gitDirRoot,
    path: searchPath(environment.all.PATH),
    content: createContentStore({ dir: contentDir, random }),
    results: stores.results,
    signer: createResultSigner({ identity, clock }),
    identity,
    // Asked at each check: a peer whose pin is removed is trusted no more, whatever was received from it.
    trust: { self: identity.public, pins },
    ...(excludesFile === undefined ? {} : { excludesFile }),
    limits: EVIDENCE_LIMITS,
  };
}

/** What the content store was writing when an earlier boot ended; whatever is whole has another name. */
async function removeUnfinished(contentDir: string): Promise<void> {
  const names = await readdir(contentDir).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  });
  const unfinished = names.filter((name) => name.endsWith('.tmp'));
  await Promise.all(unfinished.map((name) => rm(join(contentDir, name), { force: true })));
}
