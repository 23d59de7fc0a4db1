import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { quote, WritError } from '@writ/core';
import type { ControlClient } from '@writ/gateway/client';

/** Something that the result of a task names. */
export interface ContentRequest {
  readonly node: ControlClient;
  readonly task: string;
  /** Lower-case hex. */
  readonly sha256: string;
  readonly signal: AbortSignal;
}

/** Its bytes as the node has them, page by page. Throws EVIDENCE_INVALID after the last where they have another digest. */
export async function* readContent({ node, task, sha256, signal }: ContentRequest): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for await (const { data } of node.stream('task_content', { task, sha256 }, { signal })) {
    const bytes = Buffer.from(data, 'base64');
    hash.update(bytes);
    yield bytes;
  }
  if (hash.digest('hex') === sha256) return;
  throw new WritError('EVIDENCE_INVALID', `what the node keeps as ${sha256} is something else`, {
    nextSteps: [`check everything that is kept of it: writ verify ${task}`],
  });
}

/** Writes a file that is not there yet, mode 0600; what fails leaves none. Throws CONFLICT where it is there. */
export async function writeNew(path: string, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
  const file = await open(path, 'wx', 0o600).catch((cause: NodeJS.ErrnoException) => {
    const there = cause.code === 'EEXIST';
    throw new WritError(there ? 'CONFLICT' : 'BAD_REQUEST', `cannot write ${quote(path)}: ${cause.message}`, {
      nextSteps: ['name a file that is not there yet, in a folder that is'],
      cause,
    });
  });
  try {
    for await (const chunk of content) await file.writeFile(chunk);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}
