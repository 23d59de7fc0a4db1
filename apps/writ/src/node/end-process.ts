import type { Clock } from '@writ/core';

/** How long a process may take to end by itself once nothing of its node is open, milliseconds. */
const LINGER_MS = 1_000;

/**
 * Sees to it that a process whose node is closed ends. A name that is looked up is waited for by the system's own library, as
 * long as that tries, also where the process says that it ends; a signal is not. `flush` writes down what is still to be written.
 */
export function endProcess(clock: Pick<Clock, 'setTimer'>, flush: () => void): void {
  // Keeps nothing alive itself: where nothing else does, the process has ended before.
  clock.setTimer(LINGER_MS, () => {
    flush();
    process.removeAllListeners('SIGTERM');
    process.kill(process.pid, 'SIGTERM');
  });
}
