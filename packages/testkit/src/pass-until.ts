import { nextTurn } from '@writ/core';
import { onTestFinished } from 'vitest';
import type { FakeClock } from './clock.ts';

/**
 * Lets time pass, `stepMs` each turn, until the condition holds; real work goes on in between. Ends with the test that it
 * is called in, and throws then: what a test left running would have its part in the next one.
 */
export async function passUntil(
  clock: FakeClock,
  condition: () => boolean,
  stepMs: number | (() => number) = 20,
): Promise<void> {
  let isOver = false;
  onTestFinished(() => {
    isOver = true;
  });
  while (!condition()) {
    await nextTurn();
    if (isOver) throw new Error('the test was over before what it waited for came');
    clock.advance(typeof stepMs === 'number' ? stepMs : stepMs());
  }
}
