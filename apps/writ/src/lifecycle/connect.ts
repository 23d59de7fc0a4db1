import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ensurePrivateDirectory, quote, WritError } from '@writ/core';
import { type ControlClient, createControlClient } from '@writ/gateway/client';
import type { Home } from '../home.ts';
import { runningPid } from './running-pid.ts';

/**
 * A client of the node of `home`; nothing is sent yet. A node that runs is reached whatever became of its configuration
 * file. Throws NOT_INITIALIZED or NOT_RUNNING.
 */
export function connect(home: Home): ControlClient {
  const token = readToken(home);
  // A deep home's socket lies in the common temporary folder, where somebody else may have made the place first.
  if (existsSync(dirname(home.socketFile))) ensurePrivateDirectory(dirname(home.socketFile));
  return createControlClient({ socketPath: home.socketFile, token });
}

function readToken(home: Home): string {
  try {
    return readFileSync(home.tokenFile, 'utf8').trim();
  } catch (cause) {
    throw notRunning(home, cause);
  }
}

function notRunning(home: Home, cause: unknown): WritError {
  const pid = runningPid(home);
  if (pid !== undefined) {
    return new WritError(
      'NOT_RUNNING',
      `the node (pid ${pid}) runs, but its token file ${quote(home.tokenFile)} is gone`,
      {
        nextSteps: [`kill ${pid}`, 'writ up'],
        cause,
      },
    );
  }
  if (!existsSync(home.configFile)) {
    return new WritError('NOT_INITIALIZED', `there is no node in ${quote(home.root)}`, {
      nextSteps: ['writ init'],
      cause,
    });
  }
  return new WritError('NOT_RUNNING', `the node of ${quote(home.root)} is not running`, {
    nextSteps: ['writ up'],
    cause,
  });
}
