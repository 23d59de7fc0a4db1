import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { createSystemClock, nextTurn } from '@writ/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readLines } from '../client/lines.ts';
import type { Entrance } from '../entrance.ts';
import { createLineTransport } from './line-transport.ts';

let folder: string;
let server: Server;
let client: Socket;
let socket: Socket;
let transport: Transport;
let heard: JSONRPCMessage[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'writ-lines-'));
  heard = [];
});
afterEach(async () => {
  client.destroy();
  socket.destroy();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});

/** A connection whose messages are worked on when `turn` resolves. */
async function open(
  turn: () => Promise<void> = nextTurn,
  hold: Entrance['hold'] = () => ({ set() {} }),
): Promise<void> {
  const path = join(folder, 's');
  server = createServer({ allowHalfOpen: true }).listen(path);
  await once(server, 'listening');
  const coming = once(server, 'connection');
  client = connect(path);
  [socket] = (await coming) as [Socket];
  const bounds = { largestBytes: 1024, mostUnreadBytes: 1024 * 1024, finishMs: 1000 };
  transport = createLineTransport(socket, {
    ...bounds,
    clock: createSystemClock(),
    entrance: { turn, hold, open: () => () => {}, keep: () => ({ set() {} }) },
  });
  transport.onmessage = (message) => void heard.push(message);
  await transport.start();
}

const request = (id: number | string): string => `${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`;

it('reads no more garbage from a client that reads none of the answers', async () => {
  await open();
  client.pause();
  // The id comes back with the answer.
  const sent = Buffer.from(`{"id":"${'x'.repeat(256)}"}\n`.repeat(20_000));
  client.write(sent);
  await expect.poll(() => socket.writableNeedDrain && socket.isPaused()).toBe(true);
  // What the system holds for a reader that reads nothing is less than the answers to all of it.
  const before = socket.bytesRead;
  expect(before).toBeLessThan(sent.length);
  client.resume();
  await expect.poll(() => socket.bytesRead).toBeGreaterThan(before);
});

it('works on one message a turn, and reads on only when all that came had theirs', async () => {
  const turns: (() => void)[] = [];
  await open(() => new Promise((resolve) => turns.push(resolve)));
  client.write([1, 2, 3].map(request).join(''));
  for (const count of [1, 2, 3]) {
    await expect.poll(() => turns.length).toBe(1);
    expect(heard).toHaveLength(count - 1);
    expect(socket.isPaused()).toBe(true);
    turns.shift()?.();
    await expect.poll(() => heard.length).toBe(count);
  }
  await expect.poll(() => socket.isPaused()).toBe(false);
});

it('ends a connection on which a message met a fault, and tells it', async () => {
  await open();
  const told: Error[] = [];
  transport.onerror = (error) => void told.push(error);
  transport.onmessage = () => {
    throw new Error('out of order');
  };
  const ended = once(client, 'close');
  client.resume().write([1, 2].map(request).join(''));
  await ended;
  expect(told.map(({ message }) => message)).toEqual(['out of order']);
});

it('drops what still waits once the client is gone', async () => {
  const turns: (() => void)[] = [];
  await open(() => new Promise((resolve) => turns.push(resolve)));
  client.write([1, 2].map(request).join(''));
  await expect.poll(() => turns.length).toBe(1);
  await transport.close();
  turns.shift()?.();
  await nextTurn();
  expect([heard, turns]).toEqual([[], []]);
});

it('refuses requests beyond those that may be open, hears that one is cancelled, and takes no id twice', async () => {
  await open();
  const said = readLines(client);
  const answer = async (): Promise<unknown> => JSON.parse(String((await said.next()).value));
  client.write(Array.from({ length: 128 }, (_, id) => request(id)).join('') + request('more'));
  expect(await answer()).toMatchObject({ id: 'more', error: { code: -32_000 } });
  client.write(request(5));
  expect(await answer()).toMatchObject({ id: null, error: { message: expect.stringContaining('this id is open') } });
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } };
  client.write(`${JSON.stringify(cancelled)}\n${request('late')}`);
  await expect.poll(() => heard.at(-1)).toMatchObject({ id: 'late' });
  expect(heard).toHaveLength(130);
});

it('waits in one place for a slow reader, and ends the connection of one that reads nothing', async () => {
  await open();
  client.pause();
  const send = (text: string): Promise<void> =>
    transport.send({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: text } });
  const sending: Promise<void>[] = [];
  while (!socket.writableNeedDrain) sending.push(send('x'.repeat(10_000)));
  for (let more = 0; more < 20; more += 1) sending.push(send('x'));
  expect(socket.listenerCount('drain')).toBe(1);
  expect(socket.destroyed).toBe(false);
  sending.push(send('x'.repeat(1024 * 1024)));
  expect(socket.destroyed).toBe(true);
  await Promise.all(sending);
});

it('ends a connection whose unfinished line has to make room, says why, and keeps nothing of it', async () => {
  const kept: number[] = [];
  let makeRoom = (): void => {};
  await open(nextTurn, (leave) => {
    makeRoom = leave;
    return { set: (bytes) => void kept.push(bytes) };
  });
  client.write('x'.repeat(50));
  await expect.poll(() => kept.at(-1)).toBe(50);
  makeRoom();
  expect((await once(client, 'data')).toString()).toContain('made room for others');
  await expect.poll(() => kept.at(-1)).toBe(0);
});

it('answers all that was asked before the end of the input, however the lines and their turns fall', async () => {
  await open();
  transport.onmessage = (message) => {
    if ('method' in message && 'id' in message) void transport.send({ jsonrpc: '2.0', id: message.id, result: {} });
  };
  transport.onclose = () => void socket.end();
  const said = readLines(client);
  client.end(Array.from({ length: 64 }, (_, id) => request(id)).join(''));
  const ids: unknown[] = [];
  for await (const line of said) ids.push(JSON.parse(line).id);
  expect(ids).toEqual(Array.from({ length: 64 }, (_, id) => id));
});
