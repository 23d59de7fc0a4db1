import { isSpecType, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { keepFirstBadPart } from './first-bad-part.ts';

const GOOD = { type: 'text', text: 'x' };

function delivered(message: JSONRPCMessage): unknown {
  const heard: JSONRPCMessage[] = [];
  const transport: Transport = {
    ...{ start: async () => undefined, send: async () => undefined, close: async () => undefined },
    onmessage: (one) => void heard.push(one),
  };
  keepFirstBadPart(transport);
  transport.onmessage?.(message);
  expect(heard).toHaveLength(1);
  return heard[0];
}

const answer = (content: unknown): JSONRPCMessage => ({ jsonrpc: '2.0', id: 1, result: { content, isError: false } });

it('an answer whose parts are well, or that has none, stays as it is', () => {
  for (const content of [[], [GOOD, GOOD], 'none', undefined]) {
    const whole = answer(content);
    expect(delivered(whole)).toBe(whole);
  }
  const asked: JSONRPCMessage = { jsonrpc: '2.0', method: 'notifications/message', params: { content: [1] } };
  expect(delivered(asked)).toBe(asked);
});

it('of one with parts that are none the first of them is left, and it is refused as before', () => {
  for (const bad of [1, {}, { type: 'resource', resource: {} }]) {
    const heard = delivered(answer([GOOD, ...Array(29_000).fill(bad), GOOD]));
    expect(heard).toEqual({ jsonrpc: '2.0', id: 1, result: { content: [bad], isError: false } });
    expect(isSpecType.CallToolResult((heard as { result: unknown }).result)).toBe(false);
  }
});

it('of which no more is looked at than that one', () => {
  let looks = 0;
  const bad = Object.defineProperty({}, 'type', { enumerable: true, get: () => ++looks });
  delivered(answer([GOOD, ...Array(29_000).fill(bad), GOOD]));
  expect(looks).toBeGreaterThan(0);
  expect(looks).toBeLessThan(100);
});
