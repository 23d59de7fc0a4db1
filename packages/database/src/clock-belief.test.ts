import { join } from 'node:path';
import { silentLogger } from '@writ/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from './open.ts';
import { createHome, createStandingClock } from './testing/fixture.ts';
import type { Database } from './types.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const FIRST_MS = 1_800_000_000_000;

/** A node that is started again and again: how long it runs is counted anew by each process, as a machine does. */
let home: ReturnType<typeof createHome>;
let database: Database;
let wallMs: number;
let ranMs: number;
beforeEach(async () => {
  home = createHome();
  wallMs = FIRST_MS;
  await start();
});
afterEach(() => {
  database.close();
  home.remove();
});

async function start(): Promise<void> {
  ranMs = 0;
  const clock = { ...createStandingClock(0), nowMs: () => wallMs, monotonicMs: () => ranMs };
  database = await openDatabase({ path: join(home.path, 'writ.db'), clock, logger: silentLogger });
  write();
}

/** What a start and a stop write at the least. */
function write(): void {
  database.withWriteTx((tx) => tx.audit({ kind: 'node', action: 'node.started', actor: 'node' }));
}

/** Killed, unless it stops; off for `offMs` by its clock. */
async function startAgain(offMs: number): Promise<void> {
  database.close();
  wallMs += offMs;
  await start();
}

/** With something to do each hour. */
function run(ms: number): void {
  for (let leftMs = ms; leftMs > 0; leftMs -= HOUR_MS) {
    wallMs += Math.min(HOUR_MS, leftMs);
    ranMs += Math.min(HOUR_MS, leftMs);
    write();
  }
}

/** What a transaction is told, and what reads are. */
function believed(): boolean {
  const told = database.withWriteTx((tx) => tx.forRemoval !== undefined);
  expect(database.isTimeBelieved()).toBe(told);
  return told;
}

describe('a clock that stepped ahead', () => {
  it('is doubted for a day of running over all starts, whatever the wrong ones have written', async () => {
    await startAgain(200 * DAY_MS);
    expect(believed()).toBe(false);
    for (let times = 0; times < 4; times += 1) {
      await startAgain(60_000);
      expect(believed()).toBe(false);
      run(5 * HOUR_MS);
    }
    expect(believed()).toBe(false);
    run(4 * HOUR_MS);
    expect(believed()).toBe(true);
    await startAgain(60_000);
    expect(believed()).toBe(true);
  });

  it('is doubted in the transaction that sees it, in one that began before, and after a rollback', () => {
    const stepped = database.withWriteTx((tx) => {
      wallMs += 200 * DAY_MS;
      return [tx.forRemoval === undefined, database.isTimeBelieved()];
    });
    expect(stepped).toEqual([false, false]);
    expect(() =>
      database.withWriteTx((tx) => {
        expect([tx.forRemoval, tx.nowMs]).toEqual([undefined, wallMs]);
        throw new Error('nothing is written');
      }),
    ).toThrow('nothing is written');
    expect(believed()).toBe(false);
    run(DAY_MS - HOUR_MS);
    expect(believed()).toBe(false);
    run(HOUR_MS);
    expect(believed()).toBe(true);
  });

  it('is doubted still after a kill right behind the commit that first saw it', async () => {
    wallMs += 3650 * DAY_MS;
    write();
    await startAgain(0);
    expect(believed()).toBe(false);
    await startAgain(0);
    expect(believed()).toBe(false);
  });

  it('is believed at once when it is right again, and doubted for a whole day when it is wrong once more', async () => {
    await startAgain(200 * DAY_MS);
    run(20 * HOUR_MS);
    await startAgain(-200 * DAY_MS);
    // What it has written stands in the way until a person has accepted the clock.
    expect([believed(), database.clockIsBackwards()]).toEqual([false, true]);
    database.acceptClock(() => {});
    expect(believed()).toBe(true);
    await startAgain(0);
    expect(believed()).toBe(true);
    await startAgain(200 * DAY_MS);
    run(20 * HOUR_MS);
    expect(believed()).toBe(false);
    run(4 * HOUR_MS);
    expect(believed()).toBe(true);
  });

  it('is not made right by a person who accepts a time that is wrong still', async () => {
    await startAgain(200 * DAY_MS);
    await startAgain(-100 * DAY_MS);
    database.acceptClock(() => {});
    expect(believed()).toBe(false);
    run(DAY_MS);
    expect(believed()).toBe(true);
  });

  it('stays accepted over a restart where more than a minute of running was to be written down with it', async () => {
    wallMs -= 200 * DAY_MS;
    ranMs += 61_000;
    database.acceptClock(() => {});
    expect(database.clockIsBackwards()).toBe(false);
    await startAgain(0);
    expect([believed(), database.clockIsBackwards()]).toEqual([true, false]);
    // From where it was accepted, and not from where it was before.
    await startAgain(100 * DAY_MS);
    expect([believed(), database.clockIsBackwards()]).toEqual([false, false]);
  });

  it('is doubted where small steps follow each other, and not where the node ran in between', async () => {
    await startAgain(6 * DAY_MS);
    expect(believed()).toBe(true);
    await startAgain(6 * DAY_MS);
    expect(believed()).toBe(false);
    run(DAY_MS);
    for (let week = 0; week < 20; week += 1) {
      await startAgain(6 * DAY_MS);
      run(2 * HOUR_MS);
      expect(believed()).toBe(true);
    }
  });

  it('is doubted for a day more where it steps much further ahead meanwhile', async () => {
    await startAgain(200 * DAY_MS);
    run(23 * HOUR_MS);
    await startAgain(3650 * DAY_MS);
    run(23 * HOUR_MS);
    expect(believed()).toBe(false);
    run(HOUR_MS);
    expect(believed()).toBe(true);
  });
});

it('a node that is on for an hour every ten days is believed in the end', async () => {
  let times = 0;
  do {
    await startAgain(10 * DAY_MS);
    run(HOUR_MS);
    times += 1;
  } while (!believed() && times < 200);
  expect(times).toBeLessThan(100);
});

it('a board that starts in 1970 is believed once it is right, also after a person has taken that for the time', async () => {
  const rightMs = wallMs;
  await startAgain(-rightMs);
  run(30 * DAY_MS);
  expect(believed()).toBe(false);
  database.close();
  wallMs = rightMs + 31 * DAY_MS;
  await start();
  expect(believed()).toBe(true);
  await startAgain(HOUR_MS - wallMs);
  database.acceptClock(() => {});
  expect(believed()).toBe(true);
  database.close();
  wallMs = rightMs + 32 * DAY_MS;
  await start();
  expect(believed()).toBe(false);
});

it('a day that a machine sleeps counts as one that it was off', async () => {
  wallMs += 8 * DAY_MS;
  expect(believed()).toBe(false);
});

it('a doubt ends after its day in a node that writes nothing', () => {
  wallMs += 200 * DAY_MS;
  expect(database.isTimeBelieved()).toBe(false);
  wallMs += DAY_MS;
  ranMs += DAY_MS;
  expect(database.isTimeBelieved()).toBe(true);
});

it('what an idle node has run is written down, whatever ends it', async () => {
  await startAgain(200 * DAY_MS);
  run(23 * HOUR_MS);
  ranMs += HOUR_MS;
  wallMs += HOUR_MS;
  expect(believed()).toBe(true);
  await startAgain(0);
  expect(believed()).toBe(false);
  run(HOUR_MS);
  expect(believed()).toBe(true);
});
