import { describe, expect, it } from 'vitest';
import { createSystemClock, nextTurn, sleep } from './clock.ts';

/** Timers that keep this process alive. */
const holding = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

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

  it('tells the time of day, and a time that only goes on', () => {
    const clock = createSystemClock();
    expect(new Date(clock.nowMs()).getUTCFullYear()).toBeGreaterThan(2000);
    const before = clock.monotonicMs();
    expect(clock.monotonicMs()).toBeGreaterThanOrEqual(before);
    expect(before).toBeLessThan(clock.nowMs());
  });

  it('keeps no process alive, unlike a program that sleeps', async () => {
    const clock = createSystemClock();
    const before = holding();
    const cancels = [clock.setTimer(60_000, () => undefined), clock.setEvery(60_000, () => undefined)];
    expect(holding()).toBe(before);
    for (const cancel of cancels) cancel();
    const sleeping = sleep(1);
    expect(holding()).toBe(before + 1);
    await sleeping;
  });

  it('calls a timer whose time is over at the next chance', async () => {
    const clock = createSystemClock();
    await new Promise<void>((resolve) => clock.setTimer(-5, resolve));
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

it('the next turn comes after all that was ready before', async () => {
  const order: string[] = [];
  setImmediate(() => order.push('ready'));
  await nextTurn();
  expect(order).toEqual(['ready']);
});
