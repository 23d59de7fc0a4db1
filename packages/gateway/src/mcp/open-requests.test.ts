import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { createEntrances } from '../entrance.ts';
import type { Caller } from '../types.ts';
import { createOpenRequests, type OpenRequests } from './open-requests.ts';

const MIB = 1024 * 1024;
const REFUSED = { error: { code: -32_000, message: expect.stringContaining('are open') } };

function connections(): () => OpenRequests {
  const enter = createEntrances();
  return () => createOpenRequests(enter({ kind: 'host' } as Caller, 'mcp'));
}

const request = (id: number, method = 'tools/call'): JSONRPCMessage => ({ jsonrpc: '2.0', id, method, params: {} });
const cancelled = (id: number): JSONRPCMessage => ({
  ...{ jsonrpc: '2.0', method: 'notifications/cancelled' },
  params: { requestId: id },
});

it('lets in what others of the same caller leave room for', () => {
  const connect = connections();
  const [first, second] = [connect(), connect()];
  for (const id of [1, 2, 3, 4]) expect(first.take(request(id), 4 * MIB)).toBeUndefined();
  for (const id of [1, 2, 3]) expect(second.take(request(id), 4 * MIB)).toBeUndefined();
  expect(second.take(request(4), 4 * MIB)).toMatchObject({ id: 4, ...REFUSED });
  first.noteAnswered({ jsonrpc: '2.0', id: 1, result: {} });
  expect(second.take(request(4), 4 * MIB)).toBeUndefined();
  expect(second.take(request(5), 4 * MIB)).toMatchObject(REFUSED);
  first.take(cancelled(2), 100);
  expect(second.take(request(5), 4 * MIB)).toBeUndefined();
  expect(second.take(request(6), 4 * MIB)).toMatchObject(REFUSED);
  first.close();
  expect(second.take(request(6), 4 * MIB)).toBeUndefined();
  expect(second.size).toBe(6);
});

it('counts a stream of changes until it is answered, and none that was refused', () => {
  const connect = connections();
  const [first, second] = [connect(), connect()];
  for (let id = 0; id < 7; id += 1) first.take(request(id, 'subscriptions/listen'), 4 * MIB);
  expect(second.take(request(1), 4 * MIB)).toMatchObject(REFUSED);
  expect([first.size, second.size]).toEqual([0, 0]);
  first.noteAnswered({ jsonrpc: '2.0', id: 0, result: {} });
  expect(second.take(request(1), 4 * MIB)).toBeUndefined();
});

it('refuses small ones as well where there are too many on all connections together, streams of changes among them', () => {
  const connect = connections();
  let taken = 0;
  for (let connection = 0; connection < 16; connection += 1) {
    const one = connect();
    for (let id = 0; id < 128; id += 1) {
      const method = id % 2 === 0 ? 'tools/call' : 'subscriptions/listen';
      if (one.take(request(id, method), 60_000) === undefined) taken += 1;
    }
  }
  expect(taken).toBe(Math.floor((40 * MIB) / (60_000 + 16 * 1024)));
});

it('a request that calls itself a word of cancelling frees nothing', () => {
  const connect = connections();
  const [first, second] = [connect(), connect()];
  for (let id = 0; id < 7; id += 1) first.take(request(id), 4 * MIB);
  first.take({ ...cancelled(0), id: 100 } as JSONRPCMessage, 100);
  expect(first.size).toBe(8);
  expect(second.take(request(1), 4 * MIB)).toMatchObject(REFUSED);
});
