import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystemClock, WritError } from '@writ/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createControlClient } from './control-client.ts';

let home: string;
let server: Server | undefined;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'writ-client-'));
});
afterEach(async () => {
  const running = server;
  server = undefined;
  if (running !== undefined) await new Promise<void>((resolve) => running.close(() => resolve()));
  await rm(home, { recursive: true, force: true });
});

const client = () => createControlClient({ socketPath: join(home, 's'), token: 't' });

function serve(listener: RequestListener): Promise<void> {
  const started = createServer(listener);
  server = started;
  return new Promise((resolve) => started.listen(join(home, 's'), () => resolve()));
}

const watch = async (): Promise<unknown[]> => {
  const items: unknown[] = [];
  for await (const item of client().stream('task_watch', { task: 't' })) items.push(item);
  return items;
};

describe('the control client', () => {
  it('says that the node is not running, and how to start it, where nobody listens', async () => {
    const notRunning = { code: 'NOT_RUNNING', nextSteps: ['writ up'] };
    await expect(client().call('whoami', {})).rejects.toMatchObject(notRunning);
    await expect(watch()).rejects.toMatchObject(notRunning);
    await expect(client().mcpPipe(process.stdin, process.stdout)).rejects.toMatchObject(notRunning);
    await writeFile(join(home, 's'), '');
    await expect(client().call('whoami', {})).rejects.toMatchObject(notRunning);
  });

  it('rebuilds the error that the node answered', async () => {
    await serve((_request, response) => {
      response.writeHead(403);
      response.end(
        JSON.stringify({ error: { code: 'LEASE_REQUIRED', message: 'm', details: { a: 1 }, nextSteps: ['n'] } }),
      );
    });
    await expect(client().call('whoami', {})).rejects.toMatchObject({
      name: 'WritError',
      code: 'LEASE_REQUIRED',
      details: { a: 1 },
      nextSteps: ['n'],
    });
  });

  it('takes an error without a reason, and an answer that is no JSON, for a fault', async () => {
    await serve((request, response) => {
      response.writeHead(request.url === '/v1/whoami' ? 500 : 200);
      response.end('<html>');
    });
    await expect(client().call('whoami', {})).rejects.toMatchObject({ code: 'INTERNAL' });
    await expect(client().call('list_peers', {})).rejects.toMatchObject({ code: 'INTERNAL' });
  });

  it('says that the node went away when it dies in the middle', async () => {
    await serve((request, response) => {
      response.writeHead(200);
      if (request.url === '/v1/whoami') response.write('{"id"');
      else response.write('{"seq":1}\n{"se');
      setImmediate(() => response.destroy());
    });
    await expect(client().call('whoami', {})).rejects.toMatchObject({ code: 'UNREACHABLE' });
    await expect(watch()).rejects.toMatchObject({ code: 'UNREACHABLE' });
  });

  it('says that the caller ended the call where it did', async () => {
    const stop = new AbortController();
    await serve((_request, response) => {
      response.writeHead(200);
      response.write('{"seq":1}\n');
    });
    const stream = client().stream('task_watch', { task: 't' }, { signal: stop.signal });
    expect(await stream.next()).toMatchObject({ value: { seq: 1 } });
    stop.abort();
    await expect(stream.next()).rejects.toMatchObject({ code: 'CANCELLED', message: 'interrupted' });
    await expect(client().call('whoami', {}, { signal: stop.signal })).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('throws the error that ends a stream', async () => {
    await serve((_request, response) => {
      response.writeHead(200);
      response.end('{"seq":1}\n{"error":{"code":"UNREACHABLE","message":"the peer is gone"}}\n');
    });
    await expect(watch()).rejects.toMatchObject({ code: 'UNREACHABLE', message: 'the peer is gone' });
  });

  it('reads lines whatever pieces they come in', async () => {
    const text = '{"seq":1,"data":"é🎉"}\n\n{"seq":2}\n{"seq":3}';
    await serve((_request, response) => {
      response.writeHead(200);
      for (const byte of Buffer.from(text)) response.write(Uint8Array.of(byte));
      response.end();
    });
    expect(await watch()).toEqual([{ seq: 1, data: 'é🎉' }, { seq: 2 }, { seq: 3 }]);
  });

  describe('of a node that hangs', () => {
    const hanging = (silentMs: number) => new WritError('UNREACHABLE', `silent for ${silentMs} ms`);
    const patient = (answerMs: number) =>
      createControlClient({
        ...{ socketPath: join(home, 's'), token: 't' },
        patience: { clock: createSystemClock(), silenceMs: 10, answerMs, hangs: hanging },
      });

    it('fails what waits for an answer, a stream that has begun, and a connection of MCP', async () => {
      await serve((request, response) => {
        if (request.url === '/v1/task_watch') response.write('{"seq":1}\n');
      });
      const failure = { code: 'UNREACHABLE', message: 'silent for 20 ms' };
      await expect(patient(10).call('whoami', {})).rejects.toMatchObject(failure);
      // Long enough for the first item to come on a slow machine.
      const stream = patient(2000).stream('task_watch', { task: 't' });
      expect(await stream.next()).toMatchObject({ value: { seq: 1 } });
      await expect(stream.next()).rejects.toMatchObject({ code: 'UNREACHABLE' });
      await expect(patient(10).mcpPipe(process.stdin, process.stdout)).rejects.toMatchObject(failure);
      server?.closeAllConnections();
    });

    it('is not one that takes its time for an answer and tells that it lives', async () => {
      let signs = 0;
      let answer = (): void => undefined;
      await serve((request, response) => {
        if (request.url === '/v1/whoami') answer = () => void response.end('{"id":"wn-a"}');
        else response.end('{}');
        if (request.url === '/v1/alive') signs += 1;
        if (signs === 3) answer();
      });
      expect(await patient(60_000).call('whoami', {})).toEqual({ id: 'wn-a' });
      expect(signs).toBeGreaterThanOrEqual(3);
    });

    it('is asked again where this program itself stood still meanwhile', async () => {
      let signs = 0;
      let answer = (): void => undefined;
      await serve((request, response) => {
        if (request.url === '/v1/whoami') answer = () => void response.end('{"id":"wn-a"}');
        if (request.url === '/v1/alive') signs += 1;
        if (signs === 3) answer();
      });
      let stoodMs = 0;
      const system = createSystemClock();
      const monotonicMs = (): number => {
        stoodMs += 60_000;
        return system.monotonicMs() + stoodMs;
      };
      const asking = createControlClient({
        ...{ socketPath: join(home, 's'), token: 't' },
        patience: { clock: { ...system, monotonicMs }, silenceMs: 10, answerMs: 10, hangs: hanging },
      });
      expect(await asking.call('whoami', {})).toEqual({ id: 'wn-a' });
      server?.closeAllConnections();
    });

    it('is found out by the question that is asked after this program stood still', async () => {
      await serve(() => undefined);
      const system = createSystemClock();
      let looks = 0;
      const clock = {
        ...system,
        // Stands still once, while the first question is open.
        monotonicMs: () => system.monotonicMs() + (looks++ === 0 ? 0 : 60_000),
        // Looks once: nothing else asks again.
        setEvery: system.setTimer,
      };
      const asking = createControlClient({
        ...{ socketPath: join(home, 's'), token: 't' },
        patience: { clock, silenceMs: 10, answerMs: 100, hangs: hanging },
      });
      await expect(asking.call('whoami', {})).rejects.toMatchObject({ code: 'UNREACHABLE' });
      server?.closeAllConnections();
    });

    it('is not one that closes the connection on which it is asked', async () => {
      let signs = 0;
      let answer = (): void => undefined;
      await serve((request, response) => {
        if (request.url === '/v1/whoami') answer = () => void response.end('{}');
        else request.socket.destroy();
        if (request.url === '/v1/alive') signs += 1;
        if (signs === 3) answer();
      });
      expect(await patient(60_000).call('whoami', {})).toEqual({});
    });
  });
});

it.each(['a\r\nb', 'a b', 'a\n', 'ä'])(
  'a credential that no header takes is refused as one, and not shown: %j',
  async (text) => {
    const socketPath = join(tmpdir(), 'nobody-listens');
    for (const given of [{ token: text }, { token: 't', session: text }]) {
      const failed = await createControlClient({ socketPath, ...given })
        .call('node_status', {})
        .catch((error: unknown) => error as WritError);
      expect(failed).toMatchObject({ code: 'TOKEN_INVALID', nextSteps: [expect.stringContaining('line ends')] });
      expect((failed as WritError).message).not.toContain(text);
    }
  },
);
