import { createSystemClock, toWritError } from '@writ/core';
import { readEnvironment } from '../env.ts';
import type { Home } from '../home.ts';
import { endProcess } from './end-process.ts';
import { createLogDestination } from './log-destination.ts';
import { serveNode } from './serve.ts';

// What Node.js itself has to say there is no reason to die either, where the disk that holds the log is full.
process.stderr.on('error', () => {});

// Entry of a node in the background: started by `writ up` with the home as JSON, tells its parent when it serves.
const log = createLogDestination(process.stderr.fd, createSystemClock());
// Also after an exception that nobody caught.
process.on('exit', () => log.flush());
const home = JSON.parse(process.argv[2] ?? '{}') as Home;
try {
  process.exitCode = await serveNode(home, readEnvironment(), {
    signal: new AbortController().signal,
    log,
    onStart: tellParent,
  });
} catch (error) {
  process.stderr.write(
    `${JSON.stringify({ level: 'error', at: createSystemClock().nowMs(), msg: toWritError(error).message })}\n`,
  );
  process.exitCode = 1;
}
endProcess(createSystemClock(), log.flush);

/** Whoever started it may have gone since; then nobody has to be told. */
function tellParent(message: object): void {
  if (!process.connected) return;
  process.send?.(message, undefined, undefined, () => {
    if (process.connected) process.disconnect();
  });
}
