import { createServer } from 'node:net';
import { type LogFields, silentLogger } from '@writ/core';
import { describe, expect, it } from 'vitest';
import { listenOn } from './listener.ts';

describe('a listener', () => {
  it('outlives an error that comes later, and logs it', async () => {
    const logged: (LogFields | undefined)[] = [];
    const logger = { ...silentLogger, error: (_message: string, fields?: LogFields) => void logged.push(fields) };
    const server = createServer();
    await listenOn(server, '127.0.0.1:0', logger);
    // What the runtime does when it cannot accept a connection.
    expect(server.emit('error', new Error('accept EMFILE'))).toBe(true);
    expect(logged).toEqual([{ error: 'accept EMFILE' }]);
    await new Promise((resolve) => server.close(resolve));
  });

  it('says that a port is taken, and logs nothing of it', async () => {
    const logged: unknown[] = [];
    const logger = { ...silentLogger, error: (message: string) => void logged.push(message) };
    const [first, second] = [createServer(), createServer()];
    const { port } = await listenOn(first, '127.0.0.1:0', logger);
    await expect(listenOn(second, `127.0.0.1:${port}`, logger)).rejects.toMatchObject({ code: 'PORT_IN_USE' });
    expect(logged).toEqual([]);
    await new Promise((resolve) => first.close(resolve));
  });
});
