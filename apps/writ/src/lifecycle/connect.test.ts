import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createSystemClock } from '@writ/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readEnvironment } from '../env.ts';
import { type Home, resolveHome } from '../home.ts';
import { connect } from './connect.ts';
import { hangingNode, patienceWith } from './hanging-node.ts';
import { isStopped, processStart } from './process-start.ts';
import { ownPidFile } from './running-pid.ts';
import { stopNode } from './stop-node.ts';

let dir: string;
let home: Home;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'writ-connect-'));
  home = resolveHome(readEnvironment(), dir);
  mkdirSync(home.runDir, { mode: 0o700 });
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** What a process that is the node has open. */
function openLock(): number {
  mkdirSync(dirname(home.lockFile), { mode: 0o700 });
  return openSync(home.lockFile, 'w', 0o600);
}

const refusal = (): unknown => {
  try {
    return connect(home, { taskAccess: undefined }, patienceWith(home, createSystemClock()));
  } catch (error) {
    return error;
  }
};

describe('reaching a node', () => {
  it('that was never made', () => {
    expect(refusal()).toMatchObject({ code: 'NOT_INITIALIZED', nextSteps: ['writ init'] });
  });

  it('that does not run', () => {
    writeFileSync(home.configFile, '');
    expect(refusal()).toMatchObject({ code: 'NOT_RUNNING', nextSteps: ['writ up'] });
  });

  it('that runs, but whose token file is gone, names the process', () => {
    const lock = openLock();
    writeFileSync(home.pidFile, ownPidFile(home));
    expect(refusal()).toMatchObject({ code: 'NOT_RUNNING', nextSteps: ['writ down', 'writ up'] });
    writeFileSync(home.holderFile, ownPidFile(home, true));
    expect(refusal()).toMatchObject({ code: 'NOT_RUNNING', message: expect.stringContaining('does not serve yet') });
    closeSync(lock);
  });

  it('that runs, but whose socket is gone, names the process, and is ended by it', async () => {
    writeFileSync(home.tokenFile, 'token\n');
    const lock = openLock();
    const child = spawn('sleep', ['60'], { stdio: ['ignore', 'ignore', lock] });
    closeSync(lock);
    await once(child, 'spawn');
    const { pid = 0 } = child;
    writeFileSync(home.pidFile, JSON.stringify({ pid, start: processStart(pid) }));
    const error = refusal();
    expect(error).toMatchObject({ code: 'NOT_RUNNING', nextSteps: ['writ down', 'writ up'] });
    const ended = once(child, 'exit');
    const reach = (): never => {
      throw error;
    };
    // A task ends no node, whatever became of its socket.
    await expect(stopNode(home, { connect: reach, bySignal: false }, createSystemClock())).rejects.toBe(error);
    expect(await stopNode(home, { connect: reach, bySignal: true }, createSystemClock())).toEqual({ pid });
    expect(await ended).toEqual([null, 'SIGTERM']);
    await expect(stopNode(home, { connect: reach, bySignal: true }, createSystemClock())).rejects.toBe(error);
  });

  it('works although its configuration file is gone', () => {
    writeFileSync(home.tokenFile, 'token\n');
    expect(connect(home, { taskAccess: undefined }, patienceWith(home, createSystemClock()))).toHaveProperty('call');
  });

  it('sends no token through a folder that others can enter', () => {
    writeFileSync(home.tokenFile, 'token\n');
    rmSync(dirname(home.socketFile), { recursive: true });
    mkdirSync(dirname(home.socketFile), { mode: 0o755 });
    writeFileSync(home.tokenFile, 'token\n');
    expect(refusal()).toMatchObject({ code: 'HOME_INSECURE' });
  });

  it('that hangs names the process, what holds it, and what ends it', async () => {
    writeFileSync(home.tokenFile, 'token\n');
    const lock = openLock();
    const listens = `require('node:net').createServer().listen(${JSON.stringify(home.socketFile)}, () => console.log('up'))`;
    const child = spawn(process.execPath, ['-e', listens], { stdio: ['ignore', 'pipe', lock] });
    closeSync(lock);
    try {
      await once(child.stdout ?? child, 'data');
      const pid = child.pid ?? 0;
      writeFileSync(home.pidFile, JSON.stringify({ pid, start: processStart(pid) }));
      const patience = { ...patienceWith(home, createSystemClock()), silenceMs: 10, answerMs: 10 };
      const ask = () => connect(home, { taskAccess: undefined }, patience).call('node_stop', {});
      await expect(ask()).rejects.toMatchObject({
        code: 'UNREACHABLE',
        message: `the node (pid ${pid}) has answered nothing for 0.02 s`,
        details: { pid, socket: home.socketFile },
        nextSteps: [
          `what it did last: tail -n 20 ${home.logFile}`,
          expect.stringMatching(`kill -9 ${pid}$`),
          'then: writ up',
        ],
      });
      child.kill('SIGSTOP');
      await expect.poll(() => isStopped(pid)).toBe(true);
      await expect(ask()).rejects.toMatchObject({
        message: expect.stringContaining('since a signal or a debugger holds it still'),
        nextSteps: [`let it go on: kill -CONT ${pid}`, expect.stringMatching(`kill -9 ${pid}$`), 'then: writ up'],
      });
      const stopped = stopNode(
        home,
        { connect: () => connect(home, { taskAccess: undefined }, patience), bySignal: false },
        createSystemClock(),
      );
      await expect(stopped).rejects.toMatchObject({
        code: 'UNREACHABLE',
        message: expect.stringContaining('holds it still; it was asked to stop, and leaves as soon as it goes on'),
        nextSteps: [`let it go on: kill -CONT ${pid}`, expect.anything(), expect.anything()],
      });
    } finally {
      const ended = once(child, 'close');
      child.kill('SIGKILL');
      await ended;
    }
  });

  it('that has more callers than may wait says so', () => {
    expect(hangingNode(home, 0)).toMatchObject({
      code: 'UNREACHABLE',
      message: expect.stringContaining('too many wait'),
    });
  });

  it('of a task that hangs tells the task nothing about its process', async () => {
    const socket = join(dir, 's');
    const server = createServer().listen(socket);
    const open = new Set<Socket>();
    server.on('connection', (connection) => open.add(connection));
    const patience = { ...patienceWith(home, createSystemClock()), silenceMs: 10, answerMs: 10 };
    const asked = connect(home, { taskAccess: { socket, token: 't' } }, patience).call('whoami', {});
    await expect(asked).rejects.toMatchObject({
      code: 'UNREACHABLE',
      message: 'the node of this task does not answer',
    });
    for (const connection of open) connection.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
});
