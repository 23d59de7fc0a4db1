import { type FSWatcher, readlinkSync, realpathSync, statSync, watch } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Cancel, Clock, Logger } from '@writ/core';

/** Rests this long after a change on disk before it is read, milliseconds: an editor writes in several steps. */
const DEBOUNCE_MS = 5;
/** It is read at least this often while changes go on without a rest, milliseconds. */
const LONGEST_MS = 100;
/** Links that lead to links; a longer chain leads in a circle. */
const MAX_LINKS = 16;

export interface WatchOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Calls `changed` after the file may have changed. Watches its folder, because an atomic rename replaces the file that
 * a watch would be on; where it is a link, the folders of all that it leads over as well. Returns how to stop.
 */
export function watchFile({ path, clock, logger }: WatchOptions, changed: () => Promise<void>): () => void {
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
  const folders = watchPlaces({ path, logger }, look);
  return () => {
    isStopped = true;
    timer?.();
    folders.close();
  };
}

/** Where a file is: each link on the way to it, and what the last one leads to, absolute. */
function placesOf(path: string): readonly string[] {
  const places = [resolve(path)];
  for (let at = 0; at < MAX_LINKS; at += 1) {
    const last = places.at(-1) ?? path;
    const target = attempt(() => readlinkSync(last));
    if (target === undefined) break;
    places.push(resolve(dirname(last), target));
  }
  // A folder on the way may be a link too.
  const real = attempt(() => realpathSync(path));
  return real === undefined ? places : [...places, real];
}

/** One watch for each folder, anew whenever the way leads elsewhere. */
function watchPlaces({ path, logger }: Omit<WatchOptions, 'clock'>, look: () => void): { close(): void } {
  const watchers = new Map<string, FSWatcher>();
  let places: readonly string[] = [];
  const follow = (): boolean => {
    const before = places.join('\n');
    places = placesOf(path);
    // A folder that was made anew is another one.
    const folders = new Map(places.map((place) => [keyOf(dirname(place)), dirname(place)]));
    for (const [key, watcher] of watchers) {
      if (folders.has(key)) continue;
      watcher.close();
      watchers.delete(key);
    }
    for (const [key, folder] of folders) if (!watchers.has(key)) open(key, folder);
    return places.join('\n') !== before;
  };
  const open = (key: string, folder: string): void => {
    try {
      const watcher = watch(folder, { persistent: false }, (_, file) => {
        const isNamed = file === null || places.some((place) => place === resolve(folder, file));
        // What has another name may be a link on the way, where there is one.
        const isOther = places.length > 2 || isNamed ? follow() : false;
        if (isNamed || isOther) look();
      });
      watcher.on('error', (error) => logger.error('configuration is not watched any more', { reason: error.message }));
      watchers.set(key, watcher);
    } catch (error) {
      logger.error('configuration is not watched', { reason: (error as Error).message });
    }
  };
  follow();
  return {
    close: () => {
      for (const watcher of watchers.values()) watcher.close();
      watchers.clear();
    },
  };
}

function keyOf(folder: string): string {
  return `${folder}\n${attempt(() => statSync(folder).ino) ?? ''}`;
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
