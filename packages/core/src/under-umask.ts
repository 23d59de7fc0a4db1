/**
 * Starts something with another umask (0 to 0o777) than this process has, which it inherits. `start` may wait for nothing: what
 * this process makes meanwhile would get it as well. Not in a worker thread, where Node.js refuses it.
 */
export function underUmask<T>(umask: number, start: () => T): T {
  const before = process.umask(umask);
  try {
    return start();
  } finally {
    process.umask(before);
  }
}
