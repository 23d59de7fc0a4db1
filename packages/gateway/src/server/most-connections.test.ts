import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ConnectionLimit, type LastResort, limitConnections } from './most-connections.ts';

let server: Server;
let limit: ConnectionLimit;
let asked: ServerResponse[];
const sockets: Socket[] = [];

beforeEach(async () => {
  asked = [];
  await serve();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await close();
});

async function serve(goes?: LastResort): Promise<void> {
  server = createServer((_request, response) => void asked.push(response));
  limit = limitConnections(server, 3, goes);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

async function close(): Promise<void> {
  server.close();
  await once(server, 'close');
}

async function open(): Promise<Socket> {
  const coming = once(server, 'connection');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  sockets.push(socket);
  await coming;
  return socket;
}

async function ask(socket: Socket): Promise<void> {
  const before = asked.length;
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await expect.poll(() => asked.length).toBe(before + 1);
}

it('lets the one make room that has asked nothing for longest, and nobody who waits for an answer', async () => {
  const [waiting, answered, silent] = [await open(), await open(), await open()];
  await ask(waiting);
  await ask(answered);
  asked[1]?.end();
  await once(answered, 'data');
  const gone = once(silent, 'close');
  const next = await open();
  await gone;
  expect([waiting, answered, next].map(({ destroyed }) => destroyed)).toEqual([false, false, false]);
  const over = once(answered, 'close');
  await ask(await open());
  await over;
  await ask(next);
  asked[0]?.end('heard');
  expect(String(await once(waiting, 'data'))).toContain('heard');
});

it('closes who comes last where all are served, until one of them is done', async () => {
  for (let at = 0; at < 3; at += 1) await ask(await open());
  expect(await text(await open())).toBe('');
  asked[0]?.end();
  await ask(await open());
});

it('lets who was served for longest make room where it is told to, and nobody who asks for a moment', async () => {
  await close();
  await serve('longest-served');
  const [stream, answered, other] = [await open(), await open(), await open()];
  for (const socket of [answered, stream, other]) await ask(socket);
  // It was answered meanwhile, and asks again: it is served for the shortest time now.
  asked[0]?.end();
  await once(answered, 'data');
  await ask(answered);
  const gone = once(stream, 'close');
  const person = await open();
  await gone;
  await ask(person);
  asked.at(-1)?.end('revoked');
  expect(String(await once(person, 'data'))).toContain('revoked');
  expect([answered, other].map(({ destroyed }) => destroyed)).toEqual([false, false]);
});

it('counts nobody twice who came and went', async () => {
  for (let at = 0; at < 9; at += 1) {
    const socket = await open();
    await ask(socket);
    socket.destroy();
    await once(asked.at(-1) as ServerResponse, 'close');
  }
  for (let at = 0; at < 3; at += 1) await ask(await open());
});

it('counts one that asks for another protocol until it is handed over', async () => {
  server.on('upgrade', (_request, socket: Socket) => {
    socket
      .on('error', () => {})
      .on('end', () => socket.destroy())
      .resume();
    if (asked.length > 0) limit.handOver(socket);
    asked.push({} as ServerResponse);
  });
  const upgrade = async (): Promise<Socket> => {
    const socket = await open();
    const before = asked.length;
    socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: x\r\n\r\n');
    await expect.poll(() => asked.length).toBe(before + 1);
    return socket;
  };
  const refused = await upgrade();
  const gone = once(refused, 'close');
  const [second, third] = [await upgrade(), await upgrade()];
  for (let at = 0; at < 3; at += 1) await open();
  await gone;
  expect([second, third].map(({ destroyed }) => destroyed)).toEqual([false, false]);
});
