import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Duplex, PassThrough } from 'node:stream';
import { WritError } from '@writ/core';
import { createFakeClock, type FakeClock } from '@writ/testkit/clock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createControlClient } from './control-client.ts';

let home: string;
/** A node that takes connections of MCP and gives no sign of life. */
let server: Server;
let clock: FakeClock;
let stdin: PassThrough;
let said: string;
const open: Duplex[] = [];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'writ-pipe-'));
  clock = createFakeClock(1_700_000_000_000);
  stdin = new PassThrough();
  said = '';
  server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(join(home, 's'), () => resolve()));
});
afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy();
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  await rm(home, { recursive: true });
});

/** Opens one; `node` is the other end of it, `piped` what it ended with. */
async function pipe(): Promise<{ readonly node: Duplex; readonly piped: Promise<unknown> }> {
  const connected = new Promise<Duplex>((resolve) => {
    server.once('upgrade', (_request, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: mcp\r\n\r\n');
      socket.on('error', () => undefined).resume();
      open.push(socket);
      resolve(socket);
    });
  });
  const hangs = (ms: number) => new WritError('UNREACHABLE', `silent for ${ms} ms`, { nextSteps: ['kill -9 7'] });
  const patience = { clock, silenceMs: 3000, answerMs: 7000, hangs };
  const stdout = new PassThrough().on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const client = createControlClient({ socketPath: join(home, 's'), token: 't', patience });
  const piped = client.mcpPipe(stdin, stdout).catch((error: unknown) => error);
  const node = await connected;
  // While it waits for the upgrade the node is looked after too.
  await expect.poll(() => clock.pendingTimers()).toBe(0);
  return { piped, node };
}

const line = (message: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const ping = (id: number | string): string => line({ id, method: 'ping' });
const answer = (id: number | string): string => line({ id, result: {} });
const failure = (id: number | string, message: string, nextSteps: readonly string[]) => ({
  ...{ jsonrpc: '2.0', id },
  error: { code: -32_603, message: [message, ...nextSteps].join('; '), data: { code: 'UNREACHABLE', nextSteps } },
});

describe('what a connection of MCP leaves unanswered', () => {
  it('is answered with what to do where the node hangs, behind the half of an answer that came', async () => {
    const { node, piped } = await pipe();
    stdin.write(ping(1) + ping('two') + ping(3) + line({ id: 4, method: 'subscriptions/listen' }));
    stdin.write(line({ method: 'notifications/cancelled', params: { requestId: 3 } }));
    await clock.waitForTimers(1);
    node.write(`${answer(1)}{"half`);
    await expect.poll(() => said).toContain('half');
    // What came was a sign of life; after that comes none.
    clock.advance(3000);
    expect(clock.pendingTimers()).toBe(1);
    clock.advance(3000);
    expect(clock.pendingTimers()).toBe(2);
    clock.advance(7000);
    expect(await piped).toMatchObject({ code: 'UNREACHABLE', message: 'silent for 10000 ms' });
    const [first, half, second, ...more] = said.split('\n');
    expect([first, half, ...more]).toEqual([answer(1).trim(), '{"half', '']);
    expect(JSON.parse(second ?? '')).toMatchObject(failure('two', 'silent for 10000 ms', ['kill -9 7']));
    expect(clock.pendingTimers()).toBe(0);
  });

  it('is answered where the node went away', async () => {
    const { node, piped } = await pipe();
    stdin.write(`[${ping(1).trim()},${ping(2).trim()}]\nno json\n`);
    await clock.waitForTimers(1);
    node.destroy();
    expect(await piped).toBe('node');
    const answers = said.trim().split('\n');
    expect(answers.map((text) => JSON.parse(text))).toMatchObject(
      [1, 2].map((id) => failure(id, 'the node ended this connection before it answered', ['writ status'])),
    );
  });

  it('is all that a node is looked after for', async () => {
    const { node, piped } = await pipe();
    stdin.write(ping(1));
    await clock.waitForTimers(1);
    node.write(answer(1));
    await expect.poll(() => clock.pendingTimers()).toBe(0);
    stdin.end();
    node.end();
    expect(await piped).toBe('client');
    expect(said).toBe(answer(1));
  });

  it('keeps a client that has said its last from waiting for a node that hangs', async () => {
    const { piped } = await pipe();
    stdin.end();
    await clock.waitForTimers(1);
    clock.advance(3000);
    clock.advance(7000);
    expect(await piped).toMatchObject({ code: 'UNREACHABLE' });
    expect(said).toBe('');
  });
});
