import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createSystemClock, WritError } from '@writ/core';
import type { Patience } from '@writ/gateway/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Home, resolveHome } from '../home.ts';
import { connect } from './connect.ts';

let root: string;
let home: Home;
let servers: Server[];
/** What each socket was asked with. */
let asked: { readonly socket: string; readonly token: string | undefined }[];

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'writ-connect-'));
  const none = {
    xdgConfigHome: undefined,
    xdgDataHome: undefined,
    xdgRuntimeDir: undefined,
    homeDir: undefined,
    session: undefined,
  };
  const environment = {
    all: {},
    writHome: root,
    taskAccess: undefined,
    noColor: true,
    isDumbTerminal: false,
    logLevel: 'info',
    timeZone: () => 'UTC',
    ...none,
  };
  home = resolveHome(environment);
  asked = [];
  servers = [];
  mkdirSync(dirname(home.socketFile), { recursive: true, mode: 0o700 });
  writeFileSync(home.configFile, 'schema = 1\n', { mode: 0o600 });
  writeFileSync(home.tokenFile, 'the-host-token\n', { mode: 0o600 });
  await listen(home.socketFile);
});
afterEach(async () => {
  for (const server of servers) await new Promise((resolve) => server.close(resolve));
  rmSync(root, { recursive: true });
});

function listen(socket: string): Promise<void> {
  const server = createServer((request, response) => {
    asked.push({ socket, token: request.headers.authorization });
    response.end('{}');
  });
  servers.push(server);
  return new Promise((resolve) => server.listen(socket, resolve));
}

const patience: Patience = {
  ...{ clock: createSystemClock(), silenceMs: 60_000, answerMs: 60_000 },
  hangs: () => new WritError('INTERNAL', 'it does not hang'),
};

describe('a client of the node', () => {
  it('uses the socket of the home and the host token where no task is around', async () => {
    await connect(home, { taskAccess: undefined }, patience).call('whoami', {});
    expect(asked).toEqual([{ socket: home.socketFile, token: 'Bearer the-host-token' }]);
  });

  it('uses the socket and the token of the task it belongs to, whatever home is named', async () => {
    const socket = join(root, 'task.sock');
    await listen(socket);
    await connect(home, { taskAccess: { socket, token: 'of-the-task' } }, patience).call('whoami', {});
    expect(asked).toEqual([{ socket, token: 'Bearer of-the-task' }]);
  });

  it('never falls back to the host token', async () => {
    const gone = join(root, 'gone.sock');
    const call = connect(home, { taskAccess: { socket: gone, token: 'of-the-task' } }, patience).call('whoami', {});
    await expect(call).rejects.toMatchObject({ code: 'NOT_RUNNING' });
    for (const taskAccess of [
      { socket: undefined, token: 'of-the-task' },
      { socket: gone, token: undefined },
      { socket: undefined, token: undefined },
    ]) {
      expect(() => connect(home, { taskAccess }, patience)).toThrow(expect.objectContaining({ code: 'TOKEN_INVALID' }));
    }
    expect(asked).toEqual([]);
  });
});
