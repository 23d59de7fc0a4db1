import { Readable } from 'node:stream';
import type { ClientReadableStream } from '@grpc/grpc-js';
import { createSystemClock } from '@writ/core';
import { expect, it } from 'vitest';
import { readStream } from './calls.ts';

it('a peer that writes without end lets everything else have its turn', async () => {
  const messages = Array.from({ length: 100 }, (_, at) => at);
  const stream = Object.assign(Readable.from(messages), { cancel: () => undefined });
  let turns = 0;
  let due = setImmediate(function count() {
    turns += 1;
    due = setImmediate(count);
  });
  const bounds = {
    ...{ deadlineMs: 60_000, signal: new AbortController().signal, clock: createSystemClock() },
    peer: { label: 'beta', address: 'beta:1' },
  };
  const taken: number[] = [];
  for await (const one of readStream(stream as unknown as ClientReadableStream<number>, bounds)) taken.push(one);
  clearImmediate(due);
  expect(taken).toEqual(messages);
  expect(turns).toBeGreaterThanOrEqual(6);
});
