import { join } from 'node:path';
import { type Cancel, formatSize, WritError } from '@writ/core';
import type { Stored } from '@writ/evidence';
import type { ShippedBundle } from '../../types.ts';
import type { ExecutorOptions } from '../options.ts';
import { createInputFiles } from './input-files.ts';

/** Bytes that wait of one sender, and how long what no live task names waits, milliseconds. */
const QUOTA_BYTES = 1024 * 1024 * 1024;
const LIFE_MS = 3_600_000;
/** A small bundle takes its place too. */
const LEAST_BYTES = 64 * 1024;

/**
 * Bundles that came ahead of the `Submit` that names them, apart for each sender: nobody uses, fills or removes
 * another's. They stay while a live task names them, and an hour from when they came or were last named.
 */
export interface Inputs {
  take(sender: string, input: ShippedBundle, data: AsyncIterable<Uint8Array>): Promise<void>;
  /** Absolute path of a bundle that this sender has sent; undefined where there is none. Its hour begins anew. */
  find(sender: string, bundle: Stored): Promise<string | undefined>;
  /** Removes what has had its hour and no live task names. */
  sweep(): Promise<void>;
  close(): void;
}

export function createInputs(options: ExecutorOptions): Inputs {
  const { clock, evidence, logger } = options;
  const files = createInputFiles(join(evidence.gitDirRoot, 'inputs'), options.random);
  const places = createPlaces();
  let disarm: Cancel | undefined;
  let closed = false;

  async function sweep(): Promise<void> {
    const named = namedByTasks(options);
    let left = 0;
    for (const file of await files.list()) {
      if (file.atMs + LIFE_MS > clock.nowMs() || named.has(`${file.sender} ${file.sha256}`)) left += 1;
      else await files.remove(file);
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

  /** What waits of this sender on disk. */
  async function waiting(sender: string): Promise<number> {
    const own = (await files.list()).filter((file) => file.sender === sender);
    return own.reduce((sum, { bytes }) => sum + Math.max(bytes, LEAST_BYTES), 0);
  }

  return {
    find: (sender, bundle) => files.find(sender, bundle, clock.nowMs()),
    sweep,
    take(sender, input, data) {
      const most = evidence.limits.bundle.maxBundleBytes;
      if (input.bytes > most) return Promise.reject(tooLarge(`a bundle may have ${formatSize(most)}`));
      return places.during(sender, Math.max(input.bytes, LEAST_BYTES), async (underWay) => {
        if ((await files.find(sender, input, clock.nowMs())) !== undefined) return;
        if ((await waiting(sender)) + underWay > QUOTA_BYTES) {
          throw tooLarge(`${formatSize(QUOTA_BYTES)} may wait of one node`);
        }
        await files.put(sender, input, data, clock.nowMs());
        arm();
      });
    },
    close() {
      closed = true;
      disarm?.();
    },
  };
}

/** Announced bytes that are on their way, by sender: two at once cannot both have the last place. */
function createPlaces(): {
  during(sender: string, bytes: number, work: (underWay: number) => Promise<void>): Promise<void>;
} {
  const taken = new Map<string, number>();
  return {
    async during(sender, bytes, work) {
      const underWay = (taken.get(sender) ?? 0) + bytes;
      taken.set(sender, underWay);
      try {
        await work(underWay);
      } finally {
        const rest = (taken.get(sender) ?? 0) - bytes;
        if (rest > 0) taken.set(sender, rest);
        else taken.delete(sender);
      }
    },
  };
}

function namedByTasks({ database, tasks }: ExecutorOptions): ReadonlySet<string> {
  const live = database.withReadTx((tx) => tasks.listLive(tx));
  return new Set(
    live.flatMap(({ sender, spec }) => (spec.shipped?.bundle ? `${sender} ${spec.shipped.bundle.sha256}` : [])),
  );
}

function tooLarge(why: string): WritError {
  return new WritError('LIMIT_EXCEEDED', `what is sent along is too large: ${why}`, {
    nextSteps: ['send less: leave large files out, or have the other node fetch what is committed'],
  });
}
