import { errorToJson, toWritError, type WritErrorJson } from '@writ/core';
import type { DestinationStream } from 'pino';
import type { Environment } from '../env.ts';
import type { Home } from '../home.ts';
import type { Started } from '../lifecycle/start-node.ts';
import { grammarFiles, loadShellGrammar } from '../shell-grammar.ts';
import { composeNode } from './compose.ts';
import { createPinoLogger } from './logger.ts';
import { ownPrograms } from './own-programs.ts';

export interface ServeOptions {
  /** Aborted: stop serving. */
  readonly signal: AbortSignal;
  /** Where the log goes. */
  readonly log: DestinationStream;
  /** Told once, when the node serves or failed to. */
  readonly onStart?: (message: { ready: Started } | { error: WritErrorJson }) => void;
}

/** How long running work may take to end when the node stops, milliseconds. */
const GRACE_MS = 5_000;

/** Runs the node of `home` until it is told to stop; returns the exit code. Throws what keeps it from starting. */
export async function serveNode(home: Home, environment: Environment, options: ServeOptions): Promise<number> {
  const stop = new AbortController();
  const requestStop = (): void => stop.abort();
  try {
    const logger = createPinoLogger(environment.logLevel, options.log);
    const spawner = new URL('./spawner.js', import.meta.url);
    const node = await composeNode({
      ...{ home, environment, logger, spawner, requestStop },
      loadGrammar: loadShellGrammar,
      commandThread: { script: new URL('./command-thread.js', import.meta.url), files: grammarFiles() },
      programs: ownPrograms(spawner),
    });
    options.onStart?.({ ready: node.started });
    await new Promise<void>((resolve) => {
      for (const signal of [options.signal, stop.signal]) {
        if (signal.aborted) resolve();
        signal.addEventListener('abort', () => resolve(), { once: true });
      }
      process.once('SIGTERM', resolve);
      process.once('SIGHUP', resolve);
    });
    await node.close(GRACE_MS);
    return 0;
  } catch (error) {
    options.onStart?.({ error: errorToJson(toWritError(error)) });
    throw error;
  }
}
