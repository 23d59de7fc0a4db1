import { existsSync, readFileSync } from 'node:fs';
import { type Clock, sleep, WritError } from '@writ/core';
import type { ControlClient } from '@writ/gateway/client';
import type { Home } from '../home.ts';

/** How long a node may take to end its work and leave, milliseconds. */
const STOP_TIMEOUT_MS = 30_000;
/** How often a stopping process is looked at, milliseconds: it is no child of ours, so nothing tells us. */
const STOP_LOOK_MS = 20;

/** Stops the node and waits until its process is gone. Throws TIMED_OUT where it is not. */
export async function stopNode(home: Home, node: ControlClient, clock: Clock): Promise<{ pid: number }> {
  const { pid } = await node.call('node_stop', {});
  const startedMs = clock.monotonicMs();
  while (isRunning(pid)) {
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
  return { pid };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // A zombie that its parent has not collected answers signals too; it serves nothing any more.
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return existsSync('/proc/self') === false;
  }
}
