import { lstat, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { isWritError, quote, WritError } from '@writ/core';
import { type ArtifactPattern, matchesPattern, parseArtifactPattern } from './artifact-pattern.ts';
import type { OpenBeneath } from './beneath.ts';
import { isGitName } from './tree-walk.ts';
import type { Artifact, ArtifactLimits, ContentStore } from './types.ts';

export interface ArtifactRequest {
  /** Real, absolute path of the task's files. */
  readonly workspaceDir: string;
  /** Paths and patterns, as `parseArtifactPattern` reads them. */
  readonly declared: readonly string[];
  readonly store: ContentStore;
  readonly limits: ArtifactLimits;
  readonly open: OpenBeneath;
}

/**
 * Stores the declared files of a workspace by their content, ignored ones too, and gives them in the order of their
 * names. Only regular files are taken; a link, wherever on the way, is refused. Throws BAD_REQUEST for a declaration that
 * is none, EVIDENCE_FAILED for a declared path that is not there or is no file, and where a limit is passed.
 */
export async function collectArtifacts(request: ArtifactRequest): Promise<readonly Artifact[]> {
  const patterns = request.declared.map(parseArtifactPattern);
  try {
    if ((await realpath(request.workspaceDir)) !== request.workspaceDir) {
      throw refuse('the workspace is a link or behind one');
    }
    const names = await findNames(request, patterns);
    if (names.length > request.limits.maxArtifacts) {
      throw refuse(`there are more than ${request.limits.maxArtifacts} of them`);
    }
    const artifacts: Artifact[] = [];
    let left = request.limits.maxTotalBytes;
    for (const name of names) {
      const artifact = await take(request, name, Math.min(left, request.limits.maxArtifactBytes));
      left -= artifact.bytes;
      artifacts.push(artifact);
    }
    return artifacts;
  } catch (error) {
    if (isWritError(error)) throw error;
    throw refuse(error instanceof Error ? error.message : String(error), error);
  }
}

async function findNames(request: ArtifactRequest, patterns: readonly ArtifactPattern[]): Promise<readonly string[]> {
  const names = new Set(patterns.filter((pattern) => pattern.literal).map((pattern) => pattern.text));
  const open = patterns.filter((pattern) => !pattern.literal);
  if (open.length > 0) {
    for (const path of await walkFiles(request)) {
      if (open.some((pattern) => matchesPattern(pattern.parts, path))) names.add(path.join('/'));
    }
  }
  return [...names].sort();
}

/** Everything below the workspace that is no folder, git directories left out. */
async function walkFiles({ workspaceDir, limits }: ArtifactRequest): Promise<readonly (readonly string[])[]> {
  const files: string[][] = [];
  const waiting: string[][] = [[]];
  let seen = 0;
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries = await readdir(join(workspaceDir, ...folder), { withFileTypes: true });
    seen += entries.length;
    if (seen > limits.maxEntries) throw refuse(`there are more than ${limits.maxEntries} files and folders`);
    for (const entry of entries) {
      if (isGitName(Buffer.from(entry.name))) continue;
      const path = [...folder, entry.name];
      if (entry.isDirectory()) waiting.push(path);
      else files.push(path);
    }
  }
  return files;
}

async function take({ workspaceDir, open, store }: ArtifactRequest, name: string, most: number): Promise<Artifact> {
  const parts = name.split('/');
  const file = await open(workspaceDir, parts).catch(async (cause) => {
    const isLink = await lstat(join(workspaceDir, ...parts)).then(
      (stat) => stat.isSymbolicLink(),
      () => false,
    );
    const code = cause instanceof Error && 'code' in cause ? cause.code : '';
    const why =
      isLink || code === 'ELOOP' || code === 'ENOTDIR' ? 'is a link or behind one' : `cannot be read (${code})`;
    throw refuse(`${quote(name)} ${code === 'ENOENT' ? 'is not there' : why}`, cause);
  });
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw refuse(`${quote(name)} is no regular file`);
    if (stat.size > most) throw refuse(`${quote(name)} is larger than ${most} bytes`);
    return { name, ...(await store.put(file.createReadStream({ autoClose: false }), most)) };
  } finally {
    await file.close();
  }
}

function refuse(why: string, cause?: unknown): WritError {
  return new WritError('EVIDENCE_FAILED', `artifacts cannot be collected: ${why}`, {
    details: { step: 'artifacts' },
    ...(cause === undefined ? {} : { cause }),
  });
}
