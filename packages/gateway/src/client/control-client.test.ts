import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
});
