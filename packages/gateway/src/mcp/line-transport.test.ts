import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystemClock, nextTurn } from '@writ/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createLineTransport } from './line-transport.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'writ-lines-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('reads no more garbage from a client that reads none of the answers', async () => {
  const path = join(folder, 's');
  const server = createServer().listen(path);
  await once(server, 'listening');
  const coming = once(server, 'connection');
  const client = connect(path);
  client.pause();
  const [socket] = (await coming) as [Socket];
  await createLineTransport(socket, {
    largestBytes: 1024,
    finishMs: 1000,
    clock: createSystemClock(),
    turn: nextTurn,
  }).start();
  const sent = Buffer.from('x\n'.repeat(150_000));
  client.write(sent);
  await expect.poll(() => socket.isPaused()).toBe(true);
  // What the system holds for a reader that reads nothing is less than the answers to all of it.
  const before = socket.bytesRead;
  expect(before).toBeLessThan(sent.length);
  client.resume();
  await expect.poll(() => socket.bytesRead).toBeGreaterThan(before);
  client.destroy();
  socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});
