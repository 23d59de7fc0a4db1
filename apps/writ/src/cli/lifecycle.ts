import { spawn } from 'node:child_process';
import { existsSync, openSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  type Clock,
  createSystemClock,
  createSystemRandom,
  ensurePrivateDirectory,
  errorFromJson,
  quote,
  replacePrivateFile,
  sleep,
  WritError,
  type WritErrorJson,
} from '@writ/core';
import type { ControlClient } from '@writ/gateway/client';
import { createIdentity } from '@writ/identity';
import { compileConfig, stockConfig } from '@writ/policy';
import type { Environment } from '../env.ts';
import type { Home } from '../home.ts';

export interface InitRequest {
  readonly name: string;
  /** `host:port`; absent: the node only dials out. */
  readonly listen?: string;
  readonly workspaces: readonly { readonly name: string; readonly path: string }[];
}

/** Makes keys and configuration of a node. Throws CONFLICT where there is one, CONFIG_INVALID where the answers make no valid configuration. */
export async function initNode(home: Home, request: InitRequest): Promise<{ id: string; name: string }> {
  if (existsSync(home.configFile)) {
    throw new WritError('CONFLICT', `there is a node in ${quote(home.root)} already`, {
      nextSteps: ['writ up', 'writ status'],
    });
  }
  const text = stockConfig({
    nodeName: request.name,
    listen: request.listen,
    workspaces: request.workspaces,
    isolation: 'none',
  });
  const compiled = compileConfig(text);
  if (!compiled.ok) {
    const [first] = compiled.violations;
    throw new WritError('CONFIG_INVALID', `${first?.path}: ${first?.message}`, { nextSteps: ['writ init --help'] });
  }
  for (const dir of [home.configDir, home.dataDir]) ensurePrivateDirectory(dir);
  const random = createSystemRandom();
  const identity = await createIdentity({ dir: home.keysDir, clock: createSystemClock(), random });
  await replacePrivateFile(home.configFile, text, random);
  return { id: identity.public.id, name: request.name };
}

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
  if (!existsSync(home.configFile)) {
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
