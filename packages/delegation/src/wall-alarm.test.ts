import type { Cancel } from '@writ/core';
import { describe, expect, it } from 'vitest';
import { setWallAlarm } from './wall-alarm.ts';

/** A machine that sleeps: the wall clock goes on, and timers do not. */
function createMachine() {
  const machine = { wallMs: 1000, awakeMs: 0, timers: new Map<() => void, number>() };
  return {
    clock: {
      monotonicMs: () => machine.awakeMs,
      setTimer(delayMs: number, fn: () => void): Cancel {
        machine.timers.set(fn, machine.awakeMs + delayMs);
        return () => void machine.timers.delete(fn);
      },
    },
    nowMs: () => machine.wallMs,
    timers: () => machine.timers.size,
    sleep(ms: number) {
      machine.wallMs += ms;
    },
    run(ms: number) {
      for (let step = 0; step < ms; step += 100) {
        machine.wallMs += 100;
        machine.awakeMs += 100;
        for (const [fn, atMs] of [...machine.timers]) {
          if (atMs > machine.awakeMs) continue;
          machine.timers.delete(fn);
          fn();
        }
      }
    },
  };
}

describe('an alarm on the wall clock', () => {
  it('rings once, when its time has come', () => {
    const machine = createMachine();
    let rings = 0;
    setWallAlarm({ ...machine, whenMs: () => 13_000 }, () => (rings += 1));
    machine.run(11_900);
    expect(rings).toBe(0);
    machine.run(200);
    expect(rings).toBe(1);
    machine.run(20_000);
    expect([rings, machine.timers()]).toEqual([1, 0]);
  });

  it('rings within seconds after the machine slept through its time', () => {
    const machine = createMachine();
    let rings = 0;
    setWallAlarm({ ...machine, whenMs: () => 3_600_000 }, () => (rings += 1));
    machine.run(1000);
    machine.sleep(7_200_000);
    machine.run(5000);
    expect(rings).toBe(1);
  });

  it('rings after as much time as was left, where the wall clock is set back or stands', () => {
    const machine = createMachine();
    let rings = 0;
    setWallAlarm({ ...machine, whenMs: () => 61_000 }, () => (rings += 1));
    machine.run(30_000);
    machine.sleep(-3_600_000);
    machine.run(29_900);
    expect(rings).toBe(0);
    machine.run(200);
    expect(rings).toBe(1);
  });

  it('waits on where its time was put off, and rings sooner where it was brought forward', () => {
    const machine = createMachine();
    let whenMs = 4000;
    let rings = 0;
    setWallAlarm({ ...machine, whenMs: () => whenMs }, () => (rings += 1));
    whenMs = 3_600_000;
    machine.run(10_000);
    expect(rings).toBe(0);
    whenMs = 12_000;
    machine.run(5000);
    expect(rings).toBe(1);
  });

  it('rings at once for a time that has passed, and not at all once it is stopped', () => {
    const machine = createMachine();
    let rings = 0;
    setWallAlarm({ ...machine, whenMs: () => 1000 }, () => (rings += 1));
    expect(rings).toBe(1);
    setWallAlarm({ ...machine, whenMs: () => 2000 }, () => (rings += 1))();
    machine.run(10_000);
    expect([rings, machine.timers()]).toEqual([1, 0]);
  });
});
