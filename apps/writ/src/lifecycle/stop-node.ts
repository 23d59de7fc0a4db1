import { type Clock, isWritError, sleep, WritError } from '@writ/core';
import type { ControlClient } from '@writ/gateway/client';
import type { Home } from '../home.ts';
import { processStart, runningPid } from './running-pid.ts';

/** How long a node may take to end its work and leave, milliseconds. */
const STOP_TIMEOUT_MS = 30_000;
/** How often a stopping process is looked at, milliseconds: it is no child of ours, so nothing tells us. */
const STOP_LOOK_MS = 20;

/** Stops the node and waits until its process is gone. Throws TIMED_OUT where it is not, UNREACHABLE for a node that hangs. */
export async function stopNode(home: Home, node: ControlClient, clock: Clock): Promise<{ pid: number }> {
  const { pid } = await node.call('node_stop', {}).catch((error: unknown) => {
    throw standing(error);
  });
  await untilGone(home, pid, clock);
  return { pid };
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
