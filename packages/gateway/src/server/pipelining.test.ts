import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { HOST_TOKEN } from '../testing/fake-node.ts';
import { fakeMirror } from '../testing/fake-records.ts';
import { type Listening, startListening } from '../testing/listening.ts';

let at: Listening;
beforeEach(async () => {
  at = await startListening();
});
afterEach(() => at.stop());

/** Requests as one client writes them, all at once. */
function requests(count: number, operation: string, input: object): string {
  const body = JSON.stringify(input);
  const head = [
    `POST /v1/${operation} HTTP/1.1`,
    'host: localhost',
    `authorization: Bearer ${HOST_TOKEN}`,
    `content-length: ${body.length}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`.repeat(count);
}

it('answers a few requests of one connection that were sent at once', async () => {
  const socket = connect(at.socketPath);
  socket.write(requests(8, 'whoami', {}));
  let said = '';
  socket.on('data', (chunk) => {
    said += chunk;
  });
  await expect.poll(() => said.split('HTTP/1.1 200').length).toBe(9);
  socket.destroy();
});

it('cuts a connection off on which far more are sent than are answered', async () => {
  at.node.asked.records.set('t-0', fakeMirror('t-0'));
  const socket = connect(at.socketPath);
  socket.on('error', () => {});
  const said = text(socket).catch(() => '');
  socket.write(requests(20, 'wait', { task: 't-0' }));
  await once(socket, 'close');
  expect(await said).toBe('');
  await expect.poll(() => at.node.asked.watchers).toBe(0);
});
