import { sleep } from '@writ/core';

/** How often a view that lives is drawn, in pauses of so many milliseconds: Ctrl-C is heard after one of them. */
const PAUSES = 5;
const PAUSE_MS = 200;

/** Draws now and once a second until `signal` aborts. Throws what drawing throws. */
export async function steadily(signal: AbortSignal, draw: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await draw();
    for (let pause = 0; pause < PAUSES && !signal.aborted; pause += 1) await sleep(PAUSE_MS);
  }
}
