import { expect, it } from 'vitest';
import { createProcessTransport } from './process-transport.ts';

const REQUESTS = 200;
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('a server that asks on and reads no answer is read no further, and goes on when it reads', async () => {
  const unread: (() => void)[] = [];
  let written = 0;
  let output: (bytes: Buffer) => Promise<void> = async () => {};
  const transport = createProcessTransport(
    {
      async start({ onOutput }) {
        output = onOutput;
        return {
          write() {
            written += 1;
            return new Promise((resolve) => unread.push(resolve));
          },
          done: new Promise(() => {}),
          stop() {},
        };
      },
    },
    { argv: ['server'], env: [] },
  );
  let asked = 0;
  transport.onmessage = (message) => {
    asked += 1;
    if ('id' in message && message.id !== undefined)
      void transport.send({ jsonrpc: '2.0', id: message.id, result: {} });
  };
  await transport.start();
  const pings = Array.from({ length: REQUESTS }, (_, id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`).join('');
  const taken = output(Buffer.from(pings));
  for (let turn = 0; turn < 2 * REQUESTS; turn += 1) await settle();
  expect([asked, written]).toEqual([64, 64]);
  // What is asked of the server has its own way: it waits for no answer of ours.
  void transport.send({ jsonrpc: '2.0', id: 'own', method: 'tools/list' });
  expect(written).toBe(65);
  while (asked < REQUESTS) {
    unread.shift()?.();
    await settle();
  }
  for (const read of unread.splice(0)) read();
  await taken;
  expect(asked).toBe(REQUESTS);
});
