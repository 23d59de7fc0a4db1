import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ensurePrivateDirectory, hasErrno, quote, WritError } from '@writ/core';
import { type ControlClient, createControlClient, type Patience } from '@writ/gateway/client';
import type { Environment } from '../env.ts';
import { type Home, hasNode } from '../home.ts';
import { noNode } from './half-home.ts';
import { foreignHome } from './home-owner.ts';
import { assertPrivateHome } from './private-home.ts';
import { isServing, runningPid } from './running-pid.ts';

/**
 * A client of the node of `home`; nothing is sent yet. A node that runs is reached whatever became of its configuration
 * file. In the environment of a task it is a client of that task's own socket instead, whatever `home` says. Throws
 * NOT_INITIALIZED, NOT_RUNNING, BAD_REQUEST and HOME_INSECURE for a home that cannot be used, or, inside a task, TOKEN_INVALID. Calls end as `patience` says where the node hangs.
 */
export function connect(
  home: Home,
  environment: Pick<Environment, 'taskAccess'> & Partial<Pick<Environment, 'session'>>,
  patience: Patience,
): ControlClient {
  if (environment.taskAccess) return connectAsTask(environment.taskAccess, patience);
  const foreign = foreignHome(home, process.geteuid?.());
  if (foreign !== undefined) throw foreign;
  const token = readToken(home);
  // A deep home's socket lies in the common temporary folder, where somebody else may have made the place first.
  if (existsSync(dirname(home.socketFile))) ensurePrivateDirectory(dirname(home.socketFile));
  const lost = existsSync(home.socketFile) ? undefined : lostSocket(home);
  if (lost !== undefined) throw lost;
  const { session } = environment;
  const own = session === undefined ? {} : { session };
  return createControlClient({ socketPath: home.socketFile, token, patience, ...own });
}

/** INVARIANT: 7 a process that carries a task token never falls back to the host token, nor to another socket. */
function connectAsTask({ socket, token }: NonNullable<Environment['taskAccess']>, patience: Patience): ControlClient {
  if (socket !== undefined && token !== undefined) {
    return createControlClient({ socketPath: socket, token, patience: { ...patience, hangs: hangingForTask } });
  }
  const missing = socket === undefined ? 'WRIT_TASK_SOCKET' : 'WRIT_TASK_TOKEN';
  throw new WritError('TOKEN_INVALID', `this process belongs to a task, and ${missing} is empty`, {
    nextSteps: ['a task reaches its own node only with the socket and the token that it was started with'],
  });
}

/** A task sees neither the process of its node nor may it end it. */
function hangingForTask(): WritError {
  return new WritError('UNREACHABLE', 'the node of this task does not answer', {
    nextSteps: ['try again later; a person at that machine has to look at its node'],
  });
}

function readToken(home: Home): string {
  try {
    return readFileSync(home.tokenFile, 'utf8').trim();
  } catch (cause) {
    // It is there, or something is in its way: then that is to be mended, and a node may well run.
    if (!hasErrno(cause, 'ENOENT')) assertPrivateHome(home);
    throw notRunning(home, cause);
  }
}

function notRunning(home: Home, cause: unknown): WritError {
  const pid = runningPid(home);
  if (pid !== undefined) return outOfReach(home, pid, { what: 'token file', path: home.tokenFile, cause });
  if (!isMade(home)) return noNode(home, cause);
  return new WritError('NOT_RUNNING', `the node of ${quote(home.root)} is not running`, {
    nextSteps: ['writ up'],
    cause,
  });
}

/** As `hasNode`; throws what of the home is to be mended where that cannot be told. */
function isMade(home: Home): boolean {
  try {
    return hasNode(home);
  } catch (error) {
    assertPrivateHome(home);
    throw error;
  }
}

/** NOT_RUNNING for a node that runs without the socket by which it is reached, or has none yet; undefined where none runs. Look for the socket first. */
export function lostSocket(home: Home): WritError | undefined {
  const pid = runningPid(home);
  return pid === undefined ? undefined : outOfReach(home, pid, { what: 'socket', path: home.socketFile });
}

/** Its process is known, so that `writ down` ends it without a word to it. */
function outOfReach(
  home: Home,
  pid: number,
  { what, path, cause }: { readonly what: string; readonly path: string; readonly cause?: unknown },
): WritError {
  const why = cause === undefined ? {} : { cause };
  if (isServing(home, pid) === false) {
    return new WritError('NOT_RUNNING', `the node (pid ${pid}) starts, and does not serve yet`, {
      nextSteps: ['try again in a moment', 'where it goes on: writ down'],
      ...why,
    });
  }
  return new WritError('NOT_RUNNING', `the node (pid ${pid}) runs, but its ${what} ${quote(path)} is gone`, {
    nextSteps: ['writ down', 'writ up'],
    ...why,
  });
}
