import { expect, it } from 'vitest';
import { createBoundedFetch } from './bounded-fetch.ts';

/** What is read of an answer that comes in these pieces. */
async function read(type: string, pieces: readonly string[]): Promise<string> {
  const body = new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      controller.close();
    },
  });
  const headers = { 'content-type': type, 'mcp-session-id': 's' };
  const fetch = createBoundedFetch(async () => new Response(body, { status: 202, headers }));
  const answer = await fetch('http://127.0.0.1/mcp');
  expect([answer.status, answer.headers.get('mcp-session-id')]).toEqual([202, 's']);
  return answer.text();
}

const JSON_TYPE = 'application/json';
const EVENTS = 'text/event-stream; charset=utf-8';
const list = (count: number): string => JSON.stringify(Array(count).fill(0));

it('hands on what is small as it came', async () => {
  expect(await read(JSON_TYPE, ['["é', '",1]'])).toBe('["é",1]');
  const events = [`data: ${list(20_000)}\n`, `\ndata: ${list(20_000)}\r\n\r\ndata: 1\r\rdata: ${list(29_000)}`];
  expect(await read(EVENTS, events)).toBe(events.join(''));
});

it('fails at a message of more than 30,000 values, or 8 MiB', async () => {
  await expect(read(JSON_TYPE, [list(15_001), '\n\n', list(15_001)])).rejects.toThrow(/more than 30000 values/);
  await expect(read(JSON_TYPE, Array(9).fill(' '.repeat(1024 * 1024)))).rejects.toThrow(/larger than 8MiB/);
});

it('takes nothing for the end of an event that is none', async () => {
  const part = `data: ${list(15_001)}`;
  for (const end of ['\n', '\r', '\r\n', '\r\n: \r\n']) {
    await expect(read(EVENTS, [part + end, part + end]), JSON.stringify(end)).rejects.toThrow(/30000 values/);
    await expect(read(EVENTS, [part, ...end, part]), JSON.stringify(end)).rejects.toThrow(/30000 values/);
  }
});
