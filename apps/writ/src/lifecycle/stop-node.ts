import { type Clock, isWritError, sleep, type WritCode, WritError } from '@writ/core';
import type { ControlClient } from '@writ/gateway/client';
import type { Home } from '../home.ts';
import { processStart } from './process-start.ts';
import { runningPid } from './running-pid.ts';

/** How long a node may take to end its work and leave, milliseconds. */
const STOP_TIMEOUT_MS = 30_000;
/** How often a stopping process is looked at, milliseconds: it is no child of ours, so nothing tells us. */
const STOP_LOOK_MS = 20;

/** How a node is told to stop. */
export interface StopWay {
  /** A client of it; throws what keeps it from being reached. */
  readonly connect: () => ControlClient;
  /** Whether a node that runs and cannot be reached is ended by a signal to its process: a person may, a task may not. */
  readonly bySignal: boolean;
}

/**
 * Stops the node and waits until its process is gone. Throws TIMED_OUT where it is not, UNREACHABLE for a node that hangs, and
 * NOT_RUNNING.
 */
export async function stopNode(home: Home, way: StopWay, clock: Clock): Promise<{ pid: number }> {
  const pid = await tell(home, way);
  await untilGone(home, pid, clock);
  return { pid };
}

async function tell(home: Home, { connect, bySignal }: StopWay): Promise<number> {
  try {
    return (await connect().call('node_stop', {})).pid;
  } catch (error) {
    const pid = bySignal && isUnheard(error) ? runningPid(home) : undefined;
    if (pid === undefined || !signal(pid)) throw standing(error);
    return pid;
  }
}

/** Whether the node cannot have been told: whatever became of its socket and its token, its process is known. */
function isUnheard(error: unknown): boolean {
  if (!isWritError(error)) return true;
  // One that says nothing for long has the request; one that ended the connection may have it, and ends once all the same.
  if (error.code === 'UNREACHABLE') return error.details.silent_ms === undefined || error.details.silent_ms === 0;
  return UNHEARD.includes(error.code);
}

const UNHEARD: readonly WritCode[] = [
  ...(['NOT_RUNNING', 'NOT_INITIALIZED', 'TOKEN_INVALID', 'HOME_INSECURE', 'INTERNAL'] as const),
  // Whoever fills the node with requests keeps no person from ending it.
  'RATE_LIMITED',
];

/** False where it is gone by now, or another user's. */
function signal(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGTERM');
  } catch {
    return false;
  }
}

/** A node that hangs has the request, and nothing takes it back. */
function standing(error: unknown): unknown {
  // Zero: the call waits before its door, and is gone with whoever made it.
  if (!isWritError(error, 'UNREACHABLE') || error.details.silent_ms === 0) return error;
  const { message, details, nextSteps } = error;
  const what = `${message}; it was asked to stop, and leaves as soon as it goes on`;
  return new WritError('UNREACHABLE', what, { details, nextSteps, cause: error });
}

/** Kills the node's process, which can do nothing about it, and waits until it is gone. Throws TIMED_OUT. */
export async function killNode(home: Home, clock: Clock): Promise<void> {
  const pid = runningPid(home);
  if (pid === undefined) return;
  process.kill(pid, 'SIGKILL');
  await untilGone(home, pid, clock);
}

async function untilGone(home: Home, pid: number, clock: Clock): Promise<void> {
  const startedMs = clock.monotonicMs();
  const start = processStart(pid);
  // Whoever gets its number next is not waited for.
  while (start !== undefined && processStart(pid) === start) {
    if (clock.monotonicMs() - startedMs > STOP_TIMEOUT_MS) {
      throw new WritError(
        'TIMED_OUT',
        `the node of ${home.root} (pid ${pid}) has not left after ${STOP_TIMEOUT_MS / 1000} s`,
        {
          nextSteps: [`look into ${home.logFile}`, `kill -9 ${pid}`],
        },
      );
    }
    await sleep(STOP_LOOK_MS);
  }
}
