import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Cancel, Clock, Logger } from '@writ/core';

/** Rests this long after a change on disk before it is read, milliseconds: an editor writes in several steps. */
const DEBOUNCE_MS = 5;
/** It is read at least this often while changes go on without a rest, milliseconds. */
const LONGEST_MS = 100;

export interface WatchOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Calls `changed` after the file may have changed. Watches its folder, because an atomic rename replaces the file that
 * a watch would be on. Returns how to stop.
 */
export function watchFile({ path, clock, logger }: WatchOptions, changed: () => Promise<void>): () => void {
  const name = basename(path);
  let timer: Cancel | undefined;
  let waitsSinceMs: number | undefined;
  let isStopped = false;
  const look = (): void => {
    waitsSinceMs ??= clock.monotonicMs();
    if (clock.monotonicMs() - waitsSinceMs > LONGEST_MS) return;
    timer?.();
    timer = clock.setTimer(DEBOUNCE_MS, () => {
      waitsSinceMs = undefined;
      changed().catch((error: unknown) => {
        // A node that stops drops what it has not begun with.
        if (!isStopped) logger.error('configuration was not reloaded', { reason: String(error) });
      });
    });
  };
  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(dirname(path), { persistent: false }, (_, file) => {
      if (file === null || file === name) look();
    });
    watcher.on('error', (error) => logger.error('configuration is not watched any more', { reason: error.message }));
  } catch (error) {
    logger.error('configuration is not watched', { reason: (error as Error).message });
  }
  return () => {
    isStopped = true;
    timer?.();
    watcher?.close();
  };
}
