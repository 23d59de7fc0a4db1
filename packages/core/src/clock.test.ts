import { describe, expect, it } from 'vitest';
import { createSystemClock, sleep } from './clock.ts';

describe('the system clock', () => {
  it('calls a timer once, and not when cancelled', async () => {
    const clock = createSystemClock();
    const calls: string[] = [];
    clock.setTimer(1, () => calls.push('cancelled'))();
    await new Promise<void>((resolve) => {
      clock.setTimer(5, () => {
        calls.push('called');
        resolve();
      });
      // The clock's timers do not keep a process alive; a test runner's worker lives anyway.
    });
    expect(calls).toEqual(['called']);
  });

  it('does not call a timer of months at once', async () => {
    const clock = createSystemClock();
    let called = false;
    const cancel = clock.setTimer(90 * 86_400_000, () => {
      called = true;
    });
    await sleep(1);
    cancel();
    expect(called).toBe(false);
  });

  it('repeats until cancelled', async () => {
    const clock = createSystemClock();
    let count = 0;
    await new Promise<void>((resolve) => {
      const cancel = clock.setEvery(1, () => {
        count += 1;
        if (count === 3) {
          cancel();
          resolve();
        }
      });
    });
    expect(count).toBe(3);
  });
});
