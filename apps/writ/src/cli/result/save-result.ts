import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { quote, WritError } from '@writ/core';
import { formatResult, type Result, readResult } from '@writ/evidence';
import type { ControlClient } from '@writ/gateway/client';
import { type ContentRequest, readContent, writeNew } from './content.ts';
import { artifactPath, childPath, LAYOUT } from './layout.ts';

/** What was written, and where. */
export interface SavedResult {
  readonly dir: string;
  /** Relative to `dir`, in the order of writing. */
  readonly files: readonly string[];
  /** Artifacts by name; `file` is relative to `dir`. */
  readonly artifacts: readonly { readonly name: string; readonly file: string }[];
}

/**
 * Writes the whole result of a task into a folder that is new or empty: content first, the envelope last, so that a
 * folder with an envelope is a whole one. Throws CONFLICT, EVIDENCE_INVALID and what the node answers; what was begun is
 * taken away again.
 */
export async function saveResult(request: {
  readonly node: ControlClient;
  readonly task: string;
  /** SHA-256 of the envelope. */
  readonly sha256: string;
  /** Absolute. */
  readonly dir: string;
  readonly signal: AbortSignal;
}): Promise<SavedResult> {
  const { dir } = request;
  const isNew = (await mkdir(dir, { recursive: true, mode: 0o700 })) !== undefined;
  if ((await readdir(dir)).length > 0) {
    throw new WritError('CONFLICT', `the folder ${quote(dir)} is not empty`, {
      nextSteps: ['name a folder that is new or empty'],
    });
  }
  const files: string[] = [];
  try {
    const artifacts = await writeAll(request, files);
    return { dir, files, artifacts };
  } catch (error) {
    for (const file of files) await rm(join(dir, file), { force: true });
    for (const folder of [LAYOUT.artifacts, LAYOUT.children])
      await rm(join(dir, folder), { force: true, recursive: true });
    if (isNew) await rm(dir, { recursive: true, force: true });
    throw error;
  }
}

async function writeAll(
  source: Omit<ContentRequest, 'sha256'> & { readonly sha256: string; readonly dir: string },
  files: string[],
): Promise<SavedResult['artifacts']> {
  const content = (sha256: string) => readContent({ ...source, sha256 });
  const write = async (path: string, bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> => {
    if (files.includes(path)) return;
    files.push(path);
    await writeNew(join(source.dir, path), bytes);
  };
  const envelope = await whole(content(source.sha256));
  const result = readResult(envelope);
  const { changes, artifacts } = result;
  await write(LAYOUT.result, [formatResult(result)]);
  if (changes.kind === 'changed') {
    await write(LAYOUT.bundle, content(changes.bundle.sha256));
    await write(LAYOUT.patch, content(changes.patch.sha256));
  }
  if (artifacts.length > 0) await mkdir(join(source.dir, LAYOUT.artifacts), { mode: 0o700 });
  for (const { sha256 } of artifacts) await write(artifactPath(sha256), content(sha256));
  if (result.children.length > 0) await mkdir(join(source.dir, LAYOUT.children), { mode: 0o700 });
  const waiting: Result[] = [result];
  for (let parent = waiting.pop(); parent !== undefined; parent = waiting.pop()) {
    for (const child of parent.children) {
      const nested = await whole(content(child.envelope));
      await write(childPath(child.envelope), [nested]);
      waiting.push(readResult(nested));
    }
  }
  await write(LAYOUT.envelope, [envelope]);
  return artifacts.map(({ name, sha256 }) => ({ name, file: artifactPath(sha256) }));
}

async function whole(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks);
}
