import { quote, WritError } from '@writ/core';
import { type GitWork, listCommits } from '@writ/evidence';
import type { ExecutorOptions } from '../options.ts';

/** Commits that are told of one workspace; a sender has one of them where it has worked there before. */
const MOST_COMMITS = 1000;
const TIMEOUT_MS = 60_000;

/** Full ids of commits of a workspace, newest first. Throws NOT_FOUND, GIT_FAILED. */
export async function commitsOf(parts: ExecutorOptions, name: string): Promise<readonly string[]> {
  const repository = parts.workspaces(name);
  if (repository === undefined) throw new WritError('NOT_FOUND', `no workspace ${quote(name)}`);
  return listCommits(gitWorkOf(parts), { repository, limit: MOST_COMMITS, timeoutMs: TIMEOUT_MS });
}

/** What git work of this node's own needs. */
export function gitWorkOf({
  evidence,
  clock,
  random,
}: Pick<ExecutorOptions, 'evidence' | 'clock' | 'random'>): GitWork {
  const { git, openRoom, gitDirRoot, path } = evidence;
  return { git, openRoom, gitDirRoot, platform: process.platform, path, clock, random };
}
