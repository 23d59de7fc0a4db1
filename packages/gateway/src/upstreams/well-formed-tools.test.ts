import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { beforeEach, expect, it } from 'vitest';
import { keepWellFormedTools, type LeftOut } from './well-formed-tools.ts';

const GOOD = { name: 'good', inputSchema: { type: 'object' } };
const BAD = { name: 'bad', inputSchema: 'none' };

let transport: Transport;
let delivered: JSONRPCMessage[];
let leftOut: readonly LeftOut[];

beforeEach(() => {
  delivered = [];
  leftOut = [];
  transport = {
    start: async () => undefined,
    send: async () => undefined,
    close: async () => undefined,
    onmessage: (message) => void delivered.push(message),
  };
  keepWellFormedTools(transport, 'small', (left) => {
    leftOut = left;
  });
});

/** The client asks, and hears that. */
async function exchange(id: number, method: string, params: object, result: Record<string, unknown>): Promise<unknown> {
  await transport.send({ jsonrpc: '2.0', id, method, params: { ...params } });
  transport.onmessage?.({ jsonrpc: '2.0', id, result });
  return delivered.at(-1);
}

it('tools that are none are taken out of lists, and named over all pages of one', async () => {
  const first = await exchange(1, 'tools/list', {}, { tools: [GOOD, BAD], nextCursor: 'c' });
  expect(first).toMatchObject({ result: { tools: [GOOD], nextCursor: 'c' } });
  await exchange(2, 'tools/list', { cursor: 'c' }, { tools: [{ ...BAD, name: 'worse' }] });
  expect(leftOut.map(({ tool }) => tool)).toEqual(['bad', 'worse']);
});

it('a new list begins with nothing left out', async () => {
  await exchange(1, 'tools/list', {}, { tools: [BAD] });
  await exchange(2, 'tools/list', {}, { tools: [GOOD] });
  expect(leftOut).toEqual([]);
});

it('a field of that name in any other answer stays as it is', async () => {
  const result = { content: [], tools: [BAD, 7] };
  expect(await exchange(1, 'tools/call', { name: 'x' }, result)).toMatchObject({ result });
  await exchange(2, 'tools/list', {}, { tools: [] });
  transport.onmessage?.({ jsonrpc: '2.0', id: 2, result });
  expect(delivered.at(-1)).toMatchObject({ result });
  transport.onmessage?.({ jsonrpc: '2.0', method: 'notifications/message', params: result });
  expect(delivered.at(-1)).toMatchObject({ params: result });
  expect(leftOut).toEqual([]);
});

it('a tool that is listed twice is offered once, as it was listed first, over all pages', async () => {
  const again = { ...GOOD, description: 'other words' };
  expect(await exchange(1, 'tools/list', {}, { tools: [GOOD, again] })).toMatchObject({ result: { tools: [GOOD] } });
  await exchange(2, 'tools/list', { cursor: 'c' }, { tools: [again] });
  expect(delivered.at(-1)).toMatchObject({ result: { tools: [] } });
  expect(leftOut).toEqual([{ tool: 'good', why: 'another one before it has the same name' }]);
  await exchange(3, 'tools/list', {}, { tools: [again] });
  expect(delivered.at(-1)).toMatchObject({ result: { tools: [again] } });
  expect(leftOut).toEqual([]);
});
