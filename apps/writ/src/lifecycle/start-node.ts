import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Clock, errorFromJson, type WritErrorJson } from '@writ/core';
import type { Environment } from '../env.ts';
import { type Home, hasNode } from '../home.ts';
import { missingKeys, noNode } from './half-home.ts';
import { NODE_THREADS } from './node-threads.ts';
import { assertPrivateHome, assertWritableHome } from './private-home.ts';

/** What a started node says of itself. */
export interface Started {
  readonly pid: number;
  readonly id: string;
  readonly listen?: string;
}

/** The first message of a started node to whoever started it. */
export type StartMessage = { readonly ready: Started } | { readonly error: WritErrorJson };

/** How long a node may take until it serves, milliseconds. */
const START_TIMEOUT_MS = 60_000;

/** Starts the node in the background and waits until it serves. Throws what keeps it from starting, and TIMED_OUT. */
export async function startNode(home: Home, environment: Environment, clock: Clock): Promise<Started> {
  const log = openLog(home);
  const child = spawn(process.execPath, [fileURLToPath(new URL('./node.js', import.meta.url)), JSON.stringify(home)], {
    detached: true,
    cwd: '/',
    env: nodeEnvironment(environment),
    stdio: ['ignore', log, log, 'ipc'],
  });
  return untilServing(home, child, clock);
}

/** The environment of a node's process; what a person has said of its threads is over what is said here. */
export function nodeEnvironment({ all }: Pick<Environment, 'all'>): NodeJS.ProcessEnv {
  return { ...NODE_THREADS, ...all };
}

/** Opens the log of a node that is to be started. Throws what of its home is in the way, and NOT_INITIALIZED; nothing is made then. */
export function openLog(home: Home): number {
  assertPrivateHome(home);
  if (!hasNode(home)) throw noNode(home);
  // In the order of a node that starts, so that it says the same in the foreground.
  assertWritableHome(home);
  const missing = missingKeys(home);
  if (missing !== undefined) throw missing;
  return openSync(home.logFile, 'a', 0o600);
}

/** Waits for the first message of a node that starts, and lets go of it. Throws what it says, INTERNAL or TIMED_OUT. */
export async function untilServing(home: Home, child: ChildProcess, clock: Clock): Promise<Started> {
  let stopWaiting = (): void => undefined;
  const message = await new Promise<StartMessage>((resolve) => {
    stopWaiting = clock.setTimer(START_TIMEOUT_MS, () => resolve({ error: lateStart(home, child.pid) }));
    child.once('message', (received) => resolve(received as StartMessage));
    child.once('error', (error) => resolve({ error: startFailure(home, error.message) }));
    // The channel ends after its last message, the process perhaps before: only then is it known that none will come.
    child.once('disconnect', () => resolve({ error: startFailure(home, 'it ended before it served') }));
  });
  stopWaiting();
  if (child.connected) child.disconnect();
  child.unref();
  if ('error' in message) throw errorFromJson(message.error);
  return message.ready;
}

/** It may serve yet: whoever asks for it decides. */
function lateStart(home: Home, pid: number | undefined): WritErrorJson {
  return {
    code: 'TIMED_OUT',
    message: `the node (pid ${pid}) does not serve after ${START_TIMEOUT_MS / 1000} s`,
    details: {},
    nextSteps: [`look into ${home.logFile}`, `end it: kill ${pid}`],
  };
}

function startFailure(home: Home, why: string): WritErrorJson {
  return {
    code: 'INTERNAL',
    message: `the node did not start: ${why}`,
    details: {},
    nextSteps: [`look into ${home.logFile}`],
  };
}
