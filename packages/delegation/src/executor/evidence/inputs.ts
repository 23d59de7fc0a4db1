import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { type Cancel, formatSize, isWritError, quote, WritError } from '@writ/core';
import { type ContentStore, createContentStore } from '@writ/evidence';
import type { ShippedInput } from '@writ/task-store';
import type { ShippedBundle } from '../../types.ts';
import type { ExecutorParts } from '../parts.ts';

/** Bytes that wait of one sender, and how long what no task names waits, milliseconds. */
const QUOTA_BYTES = 1024 * 1024 * 1024;
const LIFE_MS = 3_600_000;
/** A small bundle takes its place too. */
const LEAST_BYTES = 64 * 1024;
const SENDER = /^[a-z0-9-]{1,64}$/;

/**
 * Bundles that came ahead of the `Submit` that names them, apart for each sender: nobody uses, fills or removes
 * another's. They stay while a live task names them, and an hour from when they came or were last named.
 */
export interface Inputs {
  take(sender: string, input: ShippedBundle, data: AsyncIterable<Uint8Array>): Promise<void>;
  /** Absolute path of a bundle that this sender has sent; undefined where there is none. Its hour begins anew. */
  find(sender: string, bundle: NonNullable<ShippedInput['bundle']>): Promise<string | undefined>;
  /** Removes what has had its hour and no live task names. */
  sweep(): Promise<void>;
  close(): void;
}

export function createInputs(
  parts: Pick<ExecutorParts, 'evidence' | 'clock' | 'random' | 'database' | 'tasks' | 'logger'>,
): Inputs {
  const { clock, evidence, random, logger } = parts;
  const root = join(evidence.gitDirRoot, 'inputs');
  /** Announced bytes that are on their way now, by sender. */
  const underWay = new Map<string, number>();
  let disarm: Cancel | undefined;
  let closed = false;

  const storeOf = (sender: string): ContentStore => {
    if (!SENDER.test(sender)) throw new WritError('BAD_REQUEST', `${quote(sender)} is no sender`);
    return createContentStore({ dir: join(root, sender), random });
  };
  const touch = async (path: string): Promise<void> => {
    const now = clock.nowMs() / 1000;
    await utimes(path, now, now);
  };

  async function find(sender: string, bundle: NonNullable<ShippedInput['bundle']>): Promise<string | undefined> {
    try {
      const path = await storeOf(sender).pathOf(bundle.sha256);
      await touch(path);
      return (await stat(path)).size === bundle.bytes ? path : undefined;
    } catch (error) {
      if (isWritError(error, 'NOT_FOUND') || isMissing(error)) return undefined;
      throw error;
    }
  }

  async function receive(sender: string, input: ShippedBundle, data: AsyncIterable<Uint8Array>): Promise<void> {
    const store = storeOf(sender);
    const stored = await store.put(data, input.bytes).catch((error) => {
      throw isWritError(error, 'EVIDENCE_FAILED') ? notAsAnnounced('longer', error) : error;
    });
    if (stored.sha256 !== input.sha256 || stored.bytes !== input.bytes) {
      await store.remove(stored.sha256);
      throw notAsAnnounced(stored.bytes === input.bytes ? 'other content' : 'shorter');
    }
    await touch(await store.pathOf(stored.sha256));
  }

  async function sweep(): Promise<void> {
    const named = namedByTasks(parts);
    let left = 0;
    for (const { sender, sha256, path, atMs } of await filesIn(root)) {
      if (atMs + LIFE_MS > clock.nowMs() || named.has(`${sender} ${sha256}`)) left += 1;
      else await rm(path, { force: true });
    }
    if (left > 0) arm();
  }

  function arm(): void {
    if (closed) return;
    disarm ??= clock.setTimer(LIFE_MS, () => {
      disarm = undefined;
      sweep().catch((error) => logger.error('inputs were not removed', { error: String(error) }));
    });
  }

  return {
    find,
    sweep,
    async take(sender, input, data) {
      const most = evidence.limits.bundle.maxBundleBytes;
      if (input.bytes > most) throw tooLarge(`a bundle may have ${formatSize(most)}`);
      const wanted = Math.max(input.bytes, LEAST_BYTES);
      // Before anything is awaited, so that two at once cannot both have the last place.
      const others = underWay.get(sender) ?? 0;
      underWay.set(sender, others + wanted);
      try {
        await mkdir(root, { recursive: true, mode: 0o700 });
        if ((await find(sender, input)) !== undefined) return;
        const waiting = (await filesIn(root)).filter((file) => file.sender === sender);
        const kept = waiting.reduce((sum, { bytes }) => sum + Math.max(bytes, LEAST_BYTES), 0);
        if (kept + others + wanted > QUOTA_BYTES) throw tooLarge(`${formatSize(QUOTA_BYTES)} may wait of one node`);
        await receive(sender, input, data);
        arm();
      } finally {
        const rest = (underWay.get(sender) ?? 0) - wanted;
        if (rest > 0) underWay.set(sender, rest);
        else underWay.delete(sender);
      }
    },
    close() {
      closed = true;
      disarm?.();
    },
  };
}

function namedByTasks({ database, tasks }: Pick<ExecutorParts, 'database' | 'tasks'>): ReadonlySet<string> {
  const live = database.withReadTx((tx) => tasks.listLive(tx));
  return new Set(
    live.flatMap(({ sender, spec }) => (spec.shipped?.bundle ? `${sender} ${spec.shipped.bundle.sha256}` : [])),
  );
}

interface InputFile {
  readonly sender: string;
  readonly sha256: string;
  readonly path: string;
  readonly bytes: number;
  readonly atMs: number;
}

/** What an upload that broke off has left counts like any other file, and goes after its hour. */
async function filesIn(root: string): Promise<readonly InputFile[]> {
  const names = await readdir(root, { recursive: true }).catch((error) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const files: InputFile[] = [];
  for (const name of names) {
    const path = join(root, name);
    const found = await stat(path).catch(() => undefined);
    if (!found?.isFile()) continue;
    const parts = name.split('/');
    files.push({ sender: parts[0] ?? '', sha256: parts.at(-1) ?? '', path, bytes: found.size, atMs: found.mtimeMs });
  }
  return files;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function tooLarge(why: string): WritError {
  return new WritError('LIMIT_EXCEEDED', `what is sent along is too large: ${why}`, {
    nextSteps: ['commit what the other node can fetch itself, or send less'],
  });
}

function notAsAnnounced(what: string, cause?: unknown): WritError {
  return new WritError('EVIDENCE_INVALID', `the bundle is not what was announced: ${what}`, {
    details: { check: 'bundle' },
    ...(cause === undefined ? {} : { cause }),
  });
}
