import { createSystemClock } from '@writ/core';
import { expect, it } from 'vitest';
import { linesOf } from './lines.ts';

async function linesIn(chunks: readonly string[]): Promise<readonly string[]> {
  async function* each(): AsyncGenerator<string> {
    yield* chunks;
  }
  const all: string[] = [];
  for await (const line of linesOf(each())) all.push(line);
  return all;
}

it('lines are the same however their text is cut, each with its end', async () => {
  const text = 'one\n\ntwo\r\n\nthree';
  const lines = ['one\n', '\n', 'two\r\n', '\n', 'three'];
  expect(await linesIn([text])).toEqual(lines);
  expect(await linesIn([...text])).toEqual(lines);
  expect(await linesIn([])).toEqual([]);
  expect(await linesIn(['a\n', '', 'b'])).toEqual(['a\n', 'b']);
});

it('a line without an end costs as much as its bytes, and comes in pieces', async () => {
  const chunk = 'x'.repeat(4096);
  const clock = createSystemClock();
  const startedMs = clock.monotonicMs();
  const lines = await linesIn(Array(16 * 1024).fill(chunk));
  expect(lines.map((line) => line.length).reduce((sum, length) => sum + length)).toBe(64 * 1024 * 1024);
  expect(lines.length).toBe(4);
  // Put together anew for each piece it would take minutes.
  expect(clock.monotonicMs() - startedMs).toBeLessThan(10_000);
});
