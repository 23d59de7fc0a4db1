import { lstat, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { isWritError, quote, WritError } from '@writ/core';
import { parseArtifactPattern } from './artifact-pattern.ts';
import { findFiles } from './artifact-search.ts';
import type { OpenBeneath } from './beneath.ts';
import type { Artifact, ArtifactLimits, ContentStore } from './types.ts';

export interface ArtifactRequest {
  /** Real, absolute path of the task's files. */
  readonly workspaceDir: string;
  /** Paths and patterns, as `parseArtifactPattern` reads them. */
  readonly declared: readonly string[];
  readonly store: ContentStore;
  readonly limits: ArtifactLimits;
  readonly platform: NodeJS.Platform;
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
    const open = patterns.filter(({ literal }) => !literal);
    const literal = patterns.filter((pattern) => pattern.literal).map(({ text }) => text);
    const search = { ...request.limits, platform: request.platform, refuse };
    const found = open.length === 0 ? [] : await findFiles(request.workspaceDir, open, search);
    const names = [...new Set([...literal, ...found])].sort();
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
