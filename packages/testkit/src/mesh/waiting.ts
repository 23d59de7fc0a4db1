import { setTimeout as pause } from 'node:timers/promises';

/** How long anything in a test may take before the wait fails, milliseconds; a loaded machine takes its time. */
export const PATIENCE_MS = 20_000;
/** How often a condition is looked at that nothing announces, milliseconds. */
const LOOK_MS = 15;

/**
 * Waits until `look` answers something other than undefined and false, and returns that. Throws after `limitMs` with
 * `what` was waited for.
 */
export async function until<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  limitMs: number = PATIENCE_MS,
): Promise<T> {
  const startedMs = performance.now();
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() - startedMs > limitMs) throw new Error(`waited ${limitMs} ms in vain: ${what}`);
    await pause(LOOK_MS);
  }
}

/** `promise`, or a failure that says what did not come in time. */
export async function within<T>(what: string, promise: Promise<T>, limitMs: number = PATIENCE_MS): Promise<T> {
  const stop = new AbortController();
  const late = pause(limitMs, undefined, { signal: stop.signal }).then(
    () => Promise.reject(new Error(`waited ${limitMs} ms in vain: ${what}`)),
    () => new Promise<never>(() => undefined),
  );
  try {
    return await Promise.race([promise, late]);
  } finally {
    stop.abort();
  }
}
