import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { errorFromJson, quote, WritError, type WritErrorJson } from '@writ/core';
import type { Environment } from '../env.ts';
import { type Home, hasNode } from '../home.ts';

/** What a started node says of itself. */
export interface Started {
  readonly pid: number;
  readonly id: string;
  readonly listen?: string;
}

/** The first message of a started node to whoever started it. */
export type StartMessage = { readonly ready: Started } | { readonly error: WritErrorJson };

/** Starts the node in the background and waits until it serves. Throws what kept it from starting. */
export async function startNode(home: Home, environment: Environment): Promise<Started> {
  if (!hasNode(home)) {
    throw new WritError('NOT_INITIALIZED', `there is no node in ${quote(home.root)}`, { nextSteps: ['writ init'] });
  }
  const log = openSync(home.logFile, 'a', 0o600);
  const child = spawn(process.execPath, [fileURLToPath(new URL('./node.js', import.meta.url)), JSON.stringify(home)], {
    detached: true,
    cwd: '/',
    env: environment.all as NodeJS.ProcessEnv,
    stdio: ['ignore', log, log, 'ipc'],
  });
  const message = await new Promise<StartMessage>((resolve) => {
    child.once('message', (received) => resolve(received as StartMessage));
    child.once('error', (error) => resolve({ error: startFailure(home, error.message) }));
    // The channel ends after its last message, the process perhaps before: only then is it known that none will come.
    child.once('disconnect', () => resolve({ error: startFailure(home, 'it ended before it served') }));
  });
  if (child.connected) child.disconnect();
  child.unref();
  if ('error' in message) throw errorFromJson(message.error);
  return message.ready;
}

function startFailure(home: Home, why: string): WritErrorJson {
  return {
    code: 'INTERNAL',
    message: `the node did not start: ${why}`,
    details: {},
    nextSteps: [`look into ${home.logFile}`],
  };
}
