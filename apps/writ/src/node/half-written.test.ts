import { appendFileSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nextTurn } from '@writ/core';
import { createFakeClock, type FakeClock } from '@writ/testkit/clock';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { markOf, untilWhole } from './half-written.ts';

let dir: string;
let path: string;
let clock: FakeClock;
/** What the wait came to; undefined while it goes on. */
let whole: string | undefined;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'writ-half-'));
  path = join(dir, 'writ.toml');
  writeFileSync(path, 'first');
  clock = createFakeClock(0);
  whole = undefined;
});
afterEach(() => rmSync(dir, { recursive: true }));

function wait(): void {
  void untilWhole(path, clock).then((mark) => {
    whole = mark?.text ?? 'none';
  });
}
async function pass(ms: number): Promise<void> {
  clock.advance(ms);
  await nextTurn();
}
/** Puts a file in place whose last byte is older than its name. */
function replace(text: string): void {
  const other = join(dir, 'new');
  writeFileSync(other, text);
  utimesSync(other, 1, 1);
  renameSync(other, path);
}

it('is whole when it has stood still, and not before', async () => {
  wait();
  await pass(249);
  expect(whole).toBeUndefined();
  await pass(1);
  expect(whole).toBe(markOf(path)?.text);
});

it('is not whole while there comes more, of the same length as well', async () => {
  wait();
  await pass(249);
  appendFileSync(path, ' more');
  await pass(1);
  expect(whole).toBeUndefined();
  utimesSync(path, 2_000_000_000, 2_000_000_000);
  await pass(250);
  expect(whole).toBeUndefined();
  await pass(250);
  expect(whole).toBe(markOf(path)?.text);
});

it('is whole at once where it was put in place', async () => {
  replace('second');
  wait();
  await nextTurn();
  expect(whole).toBe(markOf(path)?.text);
});

it('is whole where another takes its place, or none', async () => {
  wait();
  replace('second');
  await pass(250);
  expect(whole).toBe(markOf(path)?.text);
  writeFileSync(path, 'third');
  whole = undefined;
  wait();
  rmSync(path);
  await pass(250);
  expect(whole).toBe('none');
  whole = undefined;
  wait();
  await nextTurn();
  expect(whole).toBe('none');
});

it('is not whole where another takes its name that is written in place as well', async () => {
  wait();
  rmSync(path);
  writeFileSync(path, 'half');
  await pass(250);
  expect(whole).toBeUndefined();
  appendFileSync(path, ' and the rest');
  await pass(250);
  expect(whole).toBeUndefined();
  await pass(250);
  expect(whole).toBe(markOf(path)?.text);
});

it('is taken as it is where it never stands still', async () => {
  wait();
  for (let at = 0; at < 39; at += 1) {
    appendFileSync(path, 'x');
    await pass(250);
  }
  expect(whole).toBeUndefined();
  appendFileSync(path, 'x');
  await pass(250);
  expect(whole).toBe(markOf(path)?.text);
});
