import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ensurePrivateDirectory, quote, WritError } from '@writ/core';
import { type ControlClient, createControlClient } from '@writ/gateway/client';
import type { Environment } from '../env.ts';
import type { Home } from '../home.ts';

/**
 * A client of the node of `home`; nothing is sent yet. In the environment of a task it is a client of that task's own
 * socket instead, whatever `home` says.
 */
export function connect(home: Home, environment: Pick<Environment, 'taskAccess'>): ControlClient {
  if (environment.taskAccess) return connectAsTask(environment.taskAccess);
  if (!existsSync(home.configFile)) {
    throw new WritError('NOT_INITIALIZED', `there is no node in ${quote(home.root)}`, { nextSteps: ['writ init'] });
  }
  // A deep home's socket lies in the common temporary folder, where somebody else may have made the place first.
  if (existsSync(dirname(home.socketFile))) ensurePrivateDirectory(dirname(home.socketFile));
  return createControlClient({ socketPath: home.socketFile, token: readToken(home) });
}

/** INVARIANT: 7 a process that carries a task token never falls back to the host token, nor to another socket. */
function connectAsTask({ socket, token }: NonNullable<Environment['taskAccess']>): ControlClient {
  if (socket !== undefined && token !== undefined) return createControlClient({ socketPath: socket, token });
  const missing = socket === undefined ? 'WRIT_TASK_SOCKET' : 'WRIT_TASK_TOKEN';
  throw new WritError('TOKEN_INVALID', `this process belongs to a task, and ${missing} is empty`, {
    nextSteps: ['a task reaches its own node only with the socket and the token that it was started with'],
  });
}

function readToken(home: Home): string {
  try {
    return readFileSync(home.tokenFile, 'utf8').trim();
  } catch (error) {
    throw new WritError('NOT_RUNNING', `the node of ${quote(home.root)} is not running`, {
      nextSteps: ['writ up'],
      cause: error,
    });
  }
}
