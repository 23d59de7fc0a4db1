import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { createFakeClock } from '@writ/testkit/clock';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { linger } from './linger.ts';

const MIB = 1024 * 1024;
let client: Socket;
let socket: Socket;

beforeEach(async () => {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const coming = once(server, 'connection');
  const address = server.address();
  client = connect(typeof address === 'object' && address !== null ? address.port : 0, '127.0.0.1');
  client.on('error', () => {});
  [socket] = (await coming) as [Socket];
  server.close();
});
afterEach(() => {
  client.destroy();
  socket.destroy();
});

it('drops what still comes a piece a turn, and ends with its time', async () => {
  const clock = createFakeClock(0);
  const turns: (() => void)[] = [];
  socket.write('answer');
  linger(socket, clock, () => new Promise((resolve) => turns.push(resolve)));
  client.write(Buffer.alloc(8 * MIB));
  await expect.poll(() => turns.length).toBe(1);
  const read = socket.bytesRead;
  expect(read).toBeLessThan(MIB);
  expect(String(await once(client, 'data'))).toBe('answer');
  expect([turns.length, socket.bytesRead]).toEqual([1, read]);
  turns.shift()?.();
  await expect.poll(() => turns.length).toBe(1);
  const closed = once(socket, 'close');
  clock.advance(2000);
  await closed;
});
