/**
 * Runs as the first process of a pid namespace: cancels a task, has a stranger given the pid of the task's first process while
 * another process of the task is still to be ended, and says, as JSON, who is alive then. Arguments: folder, spawner script.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createSystemClock, createSystemRandom } from '@writ/core';
import { findMembers } from '../process-tree/members.ts';
import { createProcessTable } from '../process-tree/process-table.ts';
import { bareSpec, createBareRunner } from './bare-runner.ts';

const [folder = '', script = ''] = process.argv.slice(2);
/** Obeys TERM, and leaves a process that does not, in a session of its own. */
const TASK = 'trap "exit 0" TERM; (trap "" TERM; echo deaf; exec setsid tail -f /dev/null) & wait';
/** The kernel tells when a process began in hundredths of a second; the stranger begins in a later one. */
const LATER_MS = 30;

const clock = createSystemClock();
const random = createSystemRandom();
const table = createProcessTable();
const runner = createBareRunner(folder, script, 1000);
const isAlive = (pid: number): boolean => table.entry(pid)?.zombie === false;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The last pid that was given out is settable here, so the next process gets the one after it. */
function takePid(pid: number): ChildProcess | undefined {
  writeFileSync('/proc/sys/kernel/ns_last_pid', String(pid - 1));
  const child = spawn('tail', ['-f', '/dev/null'], { stdio: 'ignore', detached: true });
  if (child.pid === pid) return child;
  child.kill('SIGKILL');
  return undefined;
}

async function once(): Promise<{ readonly deaf: number; readonly stranger: boolean } | undefined> {
  const spec = bareSpec(random.uuid(), 'none', ['sh', '-c', TASK]);
  const prepared = await runner.prepare(spec, new AbortController().signal);
  let isUp = false;
  const run = await prepared.start(spec, {
    output: () => {
      isUp = true;
    },
  });
  const startedMs = clock.monotonicMs();
  while (!isUp || clock.monotonicMs() - startedMs < LATER_MS) await turn();
  run.stop({ kind: 'cancel', cause: 'enough' });
  while (table.entry(run.pid) !== undefined) await turn();
  let stranger: ChildProcess | undefined;
  while (stranger === undefined) stranger = takePid(run.pid);
  const deaf = findMembers({ nonces: [spec.nonce] }, table).map(({ pid }) => pid);
  await run.done;
  const said = { deaf: deaf.filter(isAlive).length, stranger: isAlive(run.pid) };
  stranger.kill('SIGKILL');
  run.release();
  // The task was over before the stranger came: that shows nothing.
  return deaf.length === 0 ? undefined : said;
}

let said: Awaited<ReturnType<typeof once>>;
while (said === undefined) said = await once();
await runner.close();
console.log(JSON.stringify(said));
