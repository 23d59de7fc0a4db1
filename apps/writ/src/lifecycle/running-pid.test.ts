import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createSystemClock, WritError } from '@writ/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readEnvironment } from '../env.ts';
import { type Home, resolveHome } from '../home.ts';
import { endChildren } from '../testing/end-children.ts';
import { runningAlready } from './already-running.ts';
import { lostSocket } from './connect.ts';
import { processStart } from './process-start.ts';
import { ownPidFile, runningPid } from './running-pid.ts';
import { stopNode } from './stop-node.ts';

let dir: string;
let home: Home;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'writ-pid-'));
  home = resolveHome(readEnvironment(), dir);
  mkdirSync(dirname(home.pidFile), { recursive: true });
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

it('is the process that wrote the file, and no other one that has its number by now', () => {
  expect(runningPid(home)).toBeUndefined();
  mkdirSync(dirname(home.lockFile));
  const lock = openSync(home.lockFile, 'w', 0o600);
  try {
    writeFileSync(home.pidFile, ownPidFile(home));
    expect(runningPid(home)).toBe(process.pid);
    writeFileSync(home.pidFile, JSON.stringify({ ...JSON.parse(ownPidFile(home)), pid: process.ppid }));
    expect(runningPid(home)).toBeUndefined();
  } finally {
    closeSync(lock);
  }
});

it('is nobody in a copy, with or without its lock, where nothing says what a process has open', () => {
  const copy = resolveHome(readEnvironment(), join(dir, 'copy'));
  for (const place of [home, copy]) {
    for (const path of [place.lockFile, place.pidFile]) mkdirSync(dirname(path), { recursive: true });
    writeFileSync(place.lockFile, '');
    writeFileSync(place.pidFile, ownPidFile(home));
  }
  const untold = (): undefined => undefined;
  expect([runningPid(home, untold), runningPid(copy, untold)]).toEqual([process.pid, undefined]);
  rmSync(copy.lockFile);
  expect(runningPid(copy, untold)).toBeUndefined();
});

it('is nobody where a file says no start, or is no such file', () => {
  for (const text of [JSON.stringify({ pid: process.pid, startedAtMs: 1 }), '{}', 'null', `${process.pid}`, '']) {
    writeFileSync(home.pidFile, text);
    expect(runningPid(home), text).toBeUndefined();
  }
});

it('knows a process by its start for as long as it lives', async () => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
  const pid = child.pid ?? 0;
  const start = processStart(pid);
  expect(start).toBeDefined();
  expect(processStart(pid)).toBe(start);
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  expect(processStart(pid)).toBeUndefined();
});

describe.skipIf(process.platform !== 'linux')('where the kernel says who holds the lock', () => {
  const children: ChildProcess[] = [];
  afterEach(() => endChildren(children));

  /** A process that holds the writer's place of `at`, as a node does. */
  async function holder(at: Home): Promise<number> {
    mkdirSync(dirname(at.lockFile), { recursive: true, mode: 0o700 });
    writeFileSync(at.lockFile, '', { mode: 0o600 });
    const hold = `const handle = new (require('better-sqlite3'))(${JSON.stringify(at.lockFile)});
      handle.pragma('journal_mode = MEMORY'); handle.exec('BEGIN EXCLUSIVE'); console.log('held'); setInterval(() => handle, 1000)`;
    const child = spawn(process.execPath, ['-e', hold], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    await once(child.stdout, 'data');
    return child.pid ?? 0;
  }

  it('is whoever holds it, also where no file names a process', async () => {
    const pid = await holder(home);
    expect(runningPid(home)).toBe(pid);
    const busy = new WritError('ALREADY_RUNNING', 'another node has it open', { nextSteps: ['a', 'own home'] });
    const record = { pid, start: processStart(pid) };
    // Without a word of it, and while it says that it starts, its socket is perhaps to come.
    for (const text of ['', JSON.stringify({ ...record, starts: true })]) {
      writeFileSync(home.holderFile, text);
      expect(runningAlready(home, busy), text).toMatchObject({ code: 'ALREADY_RUNNING', details: { pid } });
    }
    expect(lostSocket(home)).toMatchObject({ code: 'NOT_RUNNING', message: expect.stringContaining('starts') });
    writeFileSync(home.holderFile, JSON.stringify(record));
    expect(runningAlready(home, busy)).toMatchObject({ code: 'NOT_RUNNING', nextSteps: ['writ down', 'writ up'] });
    writeFileSync(home.socketFile, '');
    expect(runningAlready(home, busy)).toMatchObject({
      code: 'ALREADY_RUNNING',
      message: `another node has it open (pid ${pid})`,
      nextSteps: [expect.stringContaining('writ down'), expect.stringContaining(`kill -9 ${pid}`), 'own home'],
    });
  });

  it('is nobody in a copy of a home, whose files name the node of the other one', async () => {
    const pid = await holder(home);
    const file = JSON.stringify({ pid, start: processStart(pid) });
    for (const path of [home.holderFile, home.pidFile]) writeFileSync(path, file);
    const copy = resolveHome(readEnvironment(), join(dir, 'copy'));
    mkdirSync(copy.runDir, { recursive: true });
    mkdirSync(dirname(copy.lockFile));
    for (const path of [copy.holderFile, copy.pidFile]) writeFileSync(path, file);
    expect([runningPid(home), runningPid(copy)]).toEqual([pid, undefined]);
    writeFileSync(copy.lockFile, '');
    expect([runningPid(home), runningPid(copy)]).toEqual([pid, undefined]);
  });

  it.each(['TOKEN_INVALID', 'RATE_LIMITED'] as const)(
    'ends the one that hears nobody, and no node of a task: %s',
    async (code) => {
      const pid = await holder(home);
      const refused = new WritError(code, 'not accepted');
      const connect = (): never => {
        throw refused;
      };
      await expect(stopNode(home, { connect, bySignal: false }, createSystemClock())).rejects.toBe(refused);
      const cancelled = (): never => {
        throw new WritError('CANCELLED', 'interrupted');
      };
      const stopped = stopNode(home, { connect: cancelled, bySignal: true }, createSystemClock());
      await expect(stopped).rejects.toMatchObject({ code: 'CANCELLED' });
      expect(runningPid(home)).toBe(pid);
      expect(await stopNode(home, { connect, bySignal: true }, createSystemClock())).toEqual({ pid });
      expect(runningPid(home)).toBeUndefined();
    },
  );
});
