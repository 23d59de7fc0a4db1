import { existsSync, readFileSync } from 'node:fs';
import { type Clock, WritError } from '@writ/core';
import { type ControlClient, createControlClient } from '@writ/gateway/client';
import type { Environment } from '../env.ts';
import { type Home, resolveHome } from '../home.ts';
import { createOutput, type Output, type Streams } from './output.ts';

/** Options that every command takes. */
export interface GlobalOptions {
  readonly json?: boolean;
  readonly home?: string;
}

/** What a command works with. */
export interface CliContext {
  readonly environment: Environment;
  readonly clock: Clock;
  readonly home: Home;
  readonly output: Output;
  readonly streams: Streams & { readonly in: NodeJS.ReadStream };
  /** Aborted by the first Ctrl-C; the second one ends the program. */
  readonly signal: AbortSignal;
  /** The running node. Throws NOT_INITIALIZED or NOT_RUNNING with the command to type. */
  node(): ControlClient;
}

export function createCliContext(
  base: Pick<CliContext, 'environment' | 'clock' | 'streams' | 'signal'>,
  options: GlobalOptions,
): CliContext {
  const home = resolveHome(base.environment, options.home);
  return {
    ...base,
    home,
    output: createOutput(base.streams, { json: options.json === true, noColor: base.environment.noColor }),
    node: () => connect(home, base.environment),
  };
}

/**
 * A client of the node of `home`; nothing is sent yet. In the environment of a task it is a client of that task's own
 * socket instead, whatever `home` says.
 */
export function connect(home: Home, environment: Pick<Environment, 'taskAccess'>): ControlClient {
  if (environment.taskAccess) return connectAsTask(environment.taskAccess);
  if (!existsSync(home.configFile)) {
    throw new WritError('NOT_INITIALIZED', `there is no node in ${home.root}`, { nextSteps: ['writ init'] });
  }
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
    throw new WritError('NOT_RUNNING', `the node of ${home.root} is not running`, {
      nextSteps: ['writ up'],
      cause: error,
    });
  }
}
