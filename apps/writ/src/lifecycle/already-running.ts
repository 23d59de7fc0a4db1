import { existsSync } from 'node:fs';
import { isWritError, shellWord, WritError } from '@writ/core';
import type { Home } from '../home.ts';
import { lostSocket } from './connect.ts';
import { isServing, runningPid } from './running-pid.ts';

/** What a start that met ALREADY_RUNNING ends with: which process it is, and what ends it; any other error unchanged. */
export function runningAlready(home: Home, error: unknown): unknown {
  if (!isWritError(error, 'ALREADY_RUNNING')) return error;
  const hadSocket = existsSync(home.socketFile);
  const pid = runningPid(home);
  // Of a node that cannot be reached, what is so: to use it is no way out. One that starts at the same time has none yet.
  const lost = hadSocket || pid === undefined || isServing(home, pid) !== true ? undefined : lostSocket(home);
  if (lost !== undefined) return lost;
  const { message, details, nextSteps } = error;
  if (pid === undefined) {
    const find = `where that does not reach it, see which process it is: lsof ${shellWord(home.lockFile)}`;
    return new WritError('ALREADY_RUNNING', message, { details, nextSteps: [...nextSteps, find], cause: error });
  }
  return new WritError('ALREADY_RUNNING', `${message} (pid ${pid})`, {
    details: { ...details, pid },
    nextSteps: [
      `use the running node, or end it: writ down`,
      `where it does not go then: kill -9 ${pid}`,
      ...nextSteps.slice(1),
    ],
    cause: error,
  });
}
