import { client, methods } from '@agentclientprotocol/sdk';
import { describe, expect, it } from 'vitest';
import { guardMessages } from './acp-guard.ts';

const REQUESTS_OF_ONE_TAKE = 40;
const request = (id: number): object => ({
  ...{ jsonrpc: '2.0', id, method: 'session/request_permission' },
  params: { sessionId: 's', toolCall: { toolCallId: `${id}` }, options: [] },
});
const linesOf = (messages: readonly object[]): Buffer =>
  Buffer.from(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
/** Everything that is ready to go on has gone on. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** An agent that reads as much as `reads` lets it, and whose requests are answered at once. */
function connected(reads: () => Promise<void>) {
  const over = new AbortController();
  const told: string[] = [];
  let asked = 0;
  let deaf = 0;
  const guard = guardMessages({
    write: reads,
    over: over.signal,
    notified: async (method) => void told.push(method),
    deaf: () => {
      deaf += 1;
    },
  });
  const { closed } = client({ name: 'test' })
    .onRequest(methods.client.session.requestPermission, () => {
      asked += 1;
      return { outcome: { outcome: 'cancelled' } };
    })
    .connect(guard.stream);
  let taken = 0;
  /** Gives it requests for ever, each piece behind the one before. */
  const flood = async (): Promise<void> => {
    for (let id = 0; !over.signal.aborted || deaf === 0; id += REQUESTS_OF_ONE_TAKE) {
      await guard.take(linesOf(Array.from({ length: REQUESTS_OF_ONE_TAKE }, (_, at) => request(id + at))));
      taken += 1;
      await settle();
    }
  };
  return { guard, over, told, closed, flood, seen: () => ({ asked, deaf, taken }) };
}

describe('an agent that asks without end', () => {
  it('is read no further while it reads no answer, and goes on when it does', async () => {
    let read: () => void = () => {};
    const { flood, over, seen } = connected(
      () =>
        new Promise((resolve) => {
          read = resolve;
        }),
    );
    const flooding = flood();
    for (let turn = 0; turn < 100; turn += 1) await settle();
    expect(seen()).toEqual({ asked: 64, deaf: 0, taken: 1 });
    read();
    for (let turn = 0; turn < 100; turn += 1) await settle();
    expect(seen()).toEqual({ asked: 65, deaf: 0, taken: 1 });
    over.abort();
    await flooding;
    expect(seen()).toMatchObject({ asked: 65, deaf: 1 });
  });

  it('is read on where it reads its answers', async () => {
    const { flood, over, seen } = connected(async () => {});
    const flooding = flood();
    while (seen().taken < 50) await settle();
    expect(seen().asked).toBeGreaterThanOrEqual(50 * REQUESTS_OF_ONE_TAKE);
    over.abort();
    await flooding;
  });
});

describe('what an agent writes', () => {
  it('is cut into messages wherever it is cut, and what is none is dropped', async () => {
    const { guard, told, seen } = connected(async () => {});
    const text = linesOf([{ jsonrpc: '2.0', method: 'one' }, request(1), { jsonrpc: '2.0', method: 'two' }]);
    for (const byte of [...Buffer.from('no JSON\n[1]\n7\nnull\n\n'), ...text]) await guard.take(Buffer.from([byte]));
    await settle();
    expect([told, seen().asked]).toEqual([['one', 'two'], 1]);
  });

  it('ends with a last message that nothing ended', async () => {
    const { guard, told } = connected(async () => {});
    await guard.take(Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: 'last' })));
    expect(told).toEqual([]);
    await guard.close();
    expect(told).toEqual(['last']);
  });

  it('is left out where it is too much to look at, and ends the connection where it waits for an answer', async () => {
    const { guard, closed, told } = connected(async () => {});
    const many = { x: Array(10_000).fill(1) };
    await guard.take(linesOf([{ jsonrpc: '2.0', method: 'big', params: many }]));
    await guard.take(linesOf([{ jsonrpc: '2.0', method: 'one' }]));
    expect(told).toEqual(['one']);
    await guard.take(linesOf([{ ...request(1), params: many }]));
    await closed;
    await guard.take(linesOf([{ jsonrpc: '2.0', method: 'two' }]));
    expect(told).toEqual(['one']);
  });

  it('is no request for leave where a part of it is none, and of one only what is looked at goes on', async () => {
    const written: unknown[] = [];
    const params: unknown[] = [];
    const guard = guardMessages({
      write: async (bytes) => void written.push(JSON.parse(Buffer.from(bytes).toString('utf8'))),
      ...{ over: new AbortController().signal, notified: async () => {}, deaf: () => {} },
    });
    client({ name: 'test' })
      .onRequest(methods.client.session.requestPermission, ({ params: asked }) => {
        params.push(asked);
        return { outcome: { outcome: 'cancelled' } };
      })
      .connect(guard.stream);
    const option = { optionId: 'o', name: 'Yes', kind: 'allow_once' };
    const of = (id: number, toolCall: object, options: readonly unknown[] = [option]): object => ({
      ...{ jsonrpc: '2.0', id, method: 'session/request_permission' },
      params: { sessionId: 's', toolCall: { toolCallId: 'c', ...toolCall }, options },
    });
    const diff = { type: 'diff', path: 'a', newText: 'b' };
    await guard.take(
      linesOf([
        of(1, { content: [1] }),
        of(2, { locations: [{}] }),
        of(3, {}, [7]),
        of(4, {
          content: [{ type: 'x', y: [1] }, diff],
          locations: [{ path: 'p', line: 'none' }],
          rawInput: { z: [1] },
        }),
      ]),
    );
    await settle();
    expect(written).toMatchObject([
      ...[1, 2, 3].map((id) => ({ id, error: { code: -32_602 } })),
      { id: 4, result: { outcome: { outcome: 'cancelled' } } },
    ]);
    expect(params).toEqual([
      {
        ...{ sessionId: 's', options: [option] },
        toolCall: { toolCallId: 'c', content: [diff], locations: [{ path: 'p' }], rawInput: { z: [1] } },
      },
    ]);
  });

  it('is no message any more where it is too long: the connection is at its end', async () => {
    const { guard, closed, told } = connected(async () => {});
    const piece = Buffer.alloc(64 * 1024, 'x');
    for (let at = 0; at <= 16; at += 1) await guard.take(piece);
    await guard.take(Buffer.from('\n'));
    await closed;
    await guard.take(linesOf([{ jsonrpc: '2.0', method: 'one' }]));
    expect(told).toEqual([]);
    await guard.close();
  });
});
