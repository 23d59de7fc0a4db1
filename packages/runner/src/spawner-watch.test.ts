import type { Clock } from '@writ/core';
import { createFakeClock } from '@writ/testkit';
import { beforeEach, describe, expect, it } from 'vitest';
import { type SpawnerWatch, watchSpawner } from './spawner-watch.ts';

describe('the watch over a spawner', () => {
  let clock: ReturnType<typeof createFakeClock>;
  let asked: number;
  let silent: readonly number[];
  let watch: SpawnerWatch;
  beforeEach(() => {
    clock = createFakeClock(0);
    asked = 0;
    silent = [];
    watch = watchSpawner({
      ...{ clock, askEveryMs: 5000 },
      ask: () => {
        asked += 1;
      },
      onSilent: (ms) => {
        silent = [...silent, ms];
      },
    });
  });
  const pass = (times: number, ms: number): void => {
    for (let time = 0; time < times; time++) clock.advance(ms);
  };

  it('asks at once and again, and finds that nothing was answered for half a minute, once', () => {
    expect(asked).toBe(1);
    pass(29, 1000);
    expect([asked, silent]).toEqual([6, []]);
    pass(40, 1000);
    expect([asked, silent]).toEqual([6, [30_000]]);
  });

  it('begins anew with each answer', () => {
    for (let time = 0; time < 20; time++) {
      pass(5, 5000);
      watch.answered();
    }
    expect(silent).toEqual([]);
  });

  it('takes an hour in which nobody ran for a single question, and asks again before it gives up', () => {
    // A timer that is late fires once, however late it is.
    let due = (): void => {};
    const setTimer: Clock['setTimer'] = (_, fn) => {
      due = fn;
      return () => {};
    };
    const late = { ...clock, setTimer };
    let [questions, given] = [0, 0];
    const ask = (): void => {
      questions += 1;
    };
    const onSilent = (): void => {
      given += 1;
    };
    const patient = watchSpawner({ clock: late, askEveryMs: 5000, ask, onSilent });
    clock.advance(3_600_000);
    due();
    expect([questions, given]).toEqual([2, 0]);
    patient.answered();
    for (let time = 0; time < 5; time++) due();
    expect([questions, given]).toEqual([7, 0]);
  });

  it('hurries nothing that has not begun to answer', () => {
    watch.hasten();
    pass(25, 1000);
    expect(silent).toEqual([]);
    watch.answered();
    pass(6, 1000);
    expect(silent).toEqual([6000]);
  });

  it('gives up within seconds where it is in haste, and gives it those', () => {
    watch.answered();
    pass(5, 5000);
    watch.hasten();
    pass(5, 1000);
    watch.hasten();
    expect(silent).toEqual([]);
    pass(1, 1000);
    expect(silent).toEqual([6000]);
  });

  it('asks nothing more when it is stopped', () => {
    watch.stop();
    watch.hasten();
    pass(20, 5000);
    expect([asked, silent]).toEqual([1, []]);
  });

  it('asks nothing more once it has given up', () => {
    pass(6, 5000);
    watch.hasten();
    pass(20, 1000);
    expect([asked, silent]).toEqual([6, [30_000]]);
  });
});
