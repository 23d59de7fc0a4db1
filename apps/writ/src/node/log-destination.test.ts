import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createLogDestination } from './log-destination.ts';

const dir = mkdtempSync(join(tmpdir(), 'writ-log-'));
afterAll(() => rmSync(dir, { recursive: true }));

it('goes on where the disk is full', () => {
  const full = openSync('/dev/full', 'w');
  const destination = createLogDestination(full);
  expect(() => destination.write('a line\n')).not.toThrow();
  closeSync(full);
});

it('says how many lines were lost, once lines are taken again', () => {
  const file = join(dir, 'log');
  let fd = openSync('/dev/full', 'w');
  const destination = createLogDestination(fd);
  destination.write('one\n');
  destination.write('two\n');
  closeSync(fd);
  // The lowest free number: the same descriptor leads to a file now.
  const before = fd;
  fd = openSync(file, 'w');
  expect(fd).toBe(before);
  destination.write('three\n');
  destination.write('four\n');
  closeSync(fd);
  expect(readFileSync(file, 'utf8')).toBe('{"level":40,"msg":"log lines were lost","lines":2}\nthree\nfour\n');
});
