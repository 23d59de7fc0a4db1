import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ensurePrivateDirectory, quote, WritError } from '@writ/core';
import { type ControlClient, createControlClient } from '@writ/gateway/client';
import type { Home } from '../home.ts';

/** A client of the node of `home`; nothing is sent yet. */
export function connect(home: Home): ControlClient {
  if (!existsSync(home.configFile)) {
    throw new WritError('NOT_INITIALIZED', `there is no node in ${quote(home.root)}`, { nextSteps: ['writ init'] });
  }
  // A deep home's socket lies in the common temporary folder, where somebody else may have made the place first.
  if (existsSync(dirname(home.socketFile))) ensurePrivateDirectory(dirname(home.socketFile));
  return createControlClient({ socketPath: home.socketFile, token: readToken(home) });
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
