import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readEnvironment } from '../env.ts';
import { type Home, resolveHome } from '../home.ts';
import { processStart } from './process-start.ts';
import { ownPidFile, runningPid } from './running-pid.ts';

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
  writeFileSync(home.pidFile, ownPidFile());
  expect(runningPid(home)).toBe(process.pid);
  writeFileSync(home.pidFile, JSON.stringify({ ...JSON.parse(ownPidFile()), pid: process.ppid }));
  expect(runningPid(home)).toBeUndefined();
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
