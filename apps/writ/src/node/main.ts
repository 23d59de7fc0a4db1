import { createSystemClock, toWritError } from '@writ/core';
import { readEnvironment } from '../env.ts';
import type { Home } from '../home.ts';
import { serveNode } from './serve.ts';

// Entry of a node in the background: started by `writ up` with the home as JSON, tells its parent when it serves.
const home = JSON.parse(process.argv[2] ?? '{}') as Home;
try {
  process.exitCode = await serveNode(home, readEnvironment(), {
    signal: new AbortController().signal,
    onStart: (message) => process.send?.(message, undefined, undefined, () => process.disconnect()),
  });
} catch (error) {
  process.stderr.write(
    `${JSON.stringify({ level: 'error', at: createSystemClock().nowMs(), msg: toWritError(error).message })}\n`,
  );
  process.exitCode = 1;
}
