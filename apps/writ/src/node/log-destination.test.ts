import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createLogDestination } from './log-destination.ts';

const dir = mkdtempSync(join(tmpdir(), 'writ-log-'));
afterAll(() => rmSync(dir, { recursive: true }));

/** A clock whose timers ring when a test says so. */
function bell() {
  const timers: (() => void)[] = [];
  const setTimer = (_: number, fn: () => void): (() => void) => {
    timers.push(fn);
    return () => undefined;
  };
  const ring = (): void => {
    for (const fn of timers.splice(0)) fn();
  };
  return { clock: { setTimer }, ring, timers };
}

const line = (msg: string, level = 30): string => `${JSON.stringify({ level, msg })}\n`;

it('writes the lines of a moment together, in their order', () => {
  const file = join(dir, 'together');
  const fd = openSync(file, 'w');
  const { clock, ring, timers } = bell();
  const destination = createLogDestination(fd, clock);
  for (const msg of ['one', 'two']) destination.write(line(msg));
  expect([readFileSync(file, 'utf8'), timers.length]).toEqual(['', 1]);
  ring();
  expect(readFileSync(file, 'utf8')).toBe(line('one') + line('two'));
  destination.write(line('three'));
  destination.flush();
  expect(readFileSync(file, 'utf8')).toBe(line('one') + line('two') + line('three'));
  closeSync(fd);
});

it.each([50, 60])('writes a line of level %i at once, with all before it', (level) => {
  const file = join(dir, `level-${level}`);
  const fd = openSync(file, 'w');
  const destination = createLogDestination(fd, bell().clock);
  destination.write(line('before'));
  destination.write(line('broke', level));
  expect(readFileSync(file, 'utf8')).toBe(line('before') + line('broke', level));
  closeSync(fd);
});

it('keeps a mebibyte at most, and says how many lines did not fit', () => {
  const file = join(dir, 'flood');
  const fd = openSync(file, 'w');
  const destination = createLogDestination(fd, bell().clock);
  const large = line('x'.repeat(1000));
  for (let count = 0; count < 2000; count += 1) destination.write(large);
  destination.flush();
  destination.write(line('after'));
  destination.flush();
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const lost = JSON.parse(lines.find((text) => text.includes('were lost')) ?? '{}') as { readonly lines: number };
  expect(lines.length - 2 + lost.lines).toBe(2000);
  expect(lines.length).toBeLessThan(1100);
  closeSync(fd);
});

it('writes the line of an error where no other fits any more', () => {
  const file = join(dir, 'full');
  const fd = openSync(file, 'w');
  const destination = createLogDestination(fd, bell().clock);
  const large = line('x'.repeat(1000));
  for (let count = 0; count < 1100; count += 1) destination.write(large);
  destination.write(line('y'.repeat(2000), 50));
  expect(readFileSync(file, 'utf8')).toContain(line('y'.repeat(2000), 50));
  closeSync(fd);
});

it('goes on where the disk is full', () => {
  const full = openSync('/dev/full', 'w');
  const destination = createLogDestination(full, bell().clock);
  expect(() => destination.write(line('a line', 50))).not.toThrow();
  closeSync(full);
});

it('says how many lines were lost, once lines are taken again', () => {
  const file = join(dir, 'log');
  let fd = openSync('/dev/full', 'w');
  const { clock, ring } = bell();
  const destination = createLogDestination(fd, clock);
  for (const msg of ['one', 'two']) {
    destination.write(`${msg}\n`);
    ring();
  }
  closeSync(fd);
  // The lowest free number: the same descriptor leads to a file now.
  const before = fd;
  fd = openSync(file, 'w');
  expect(fd).toBe(before);
  for (const msg of ['three', 'four']) {
    destination.write(`${msg}\n`);
    ring();
  }
  closeSync(fd);
  expect(readFileSync(file, 'utf8')).toBe('{"level":40,"msg":"log lines were lost","lines":2}\nthree\nfour\n');
});
