import { Mutex, Semaphore } from 'async-mutex';

export { Mutex };

/**
 * Readers at once, further ones wait for their turn; a writer takes all of these places. Every release of the semaphore
 * walks over its free places, so a million of them would cost milliseconds each time.
 */
const PLACES = 1000;

/** Many readers or one writer, first come first served: a waiting writer holds back later readers. */
export interface RwLock {
  /** Runs `fn` while no writer does. */
  read<T>(fn: () => Promise<T> | T): Promise<T>;
  /** Runs `fn` alone, after every earlier reader has left. */
  write<T>(fn: () => Promise<T> | T): Promise<T>;
}

export function createRwLock(): RwLock {
  const semaphore = new Semaphore(PLACES);
  return {
    read: (fn) => semaphore.runExclusive(async () => fn(), 1),
    write: (fn) => semaphore.runExclusive(async () => fn(), PLACES),
  };
}
