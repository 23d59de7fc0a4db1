import { type ChildProcess, spawn } from 'node:child_process';
import { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type Clock, type Logger, WritError } from '@writ/core';
import { endTree, type TreeTools } from './process-tree/end-tree.ts';
import type { Spawner } from './spawned.ts';
import { createSpawnedRun, type SpawnedRun } from './spawned-run.ts';
import { createFrameReader, FRAME, frameHead, jsonFrame } from './spawner/frames.ts';
import { type SpawnerWatch, watchSpawner } from './spawner-watch.ts';

/** What a spawner client is built from. */
export interface SpawnerClientOptions {
  readonly node: string;
  readonly script: string | URL;
  /** Absolute folder that the spawner alone uses. */
  readonly pipesFolder: string;
  /** How the names of its pipes begin; no other process that used the folder has the same. */
  readonly label: string;
  /** Between two questions whether a spawner still answers, milliseconds; absent: 5,000. */
  readonly askEveryMs?: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tools: TreeTools;
}

/** Bytes kept of what a dying spawner said. */
const LAST_WORDS_BYTES = 4096;

/** Without their lifeline, processes count as gone when none was found for so long, milliseconds. */
const QUIET_MS = 100;
const ASK_EVERY_MS = 5_000;
/** How long one that was killed is waited for, milliseconds: what hangs in the kernel dies when that lets it. */
const LAST_WAIT_MS = 5_000;

/** One spawner child and the runs that it holds. */
interface Connection {
  readonly child: ChildProcess;
  readonly channel: Duplex;
  readonly runs: Map<number, SpawnedRun>;
  readonly watch: SpawnerWatch;
  /** Resolves when the child has gone. */
  readonly gone: Promise<unknown>;
}

/**
 * Keeps one spawner child, started at once. One that is stopped or hangs is killed. When it dies, its runs' trees are ended from here, the runs end as killed,
 * and the next `spawn` starts another child.
 */
export function createSpawnerClient(options: SpawnerClientOptions): Spawner {
  let closed = false;
  let lastRun = 0;
  let connections = 0;
  let current: Connection | undefined;
  const connect = (): Connection => {
    connections += 1;
    const label = `${options.label}-${connections}`;
    const connection = openConnection({ ...options, label }, (words) => {
      if (current === connection) current = undefined;
      if (!closed) options.logger.error('the spawner ended', { words, runs: connection.runs.size });
    });
    return connection;
  };
  current = connect();
  return {
    async spawn(order, onOutput) {
      if (closed) throw new WritError('SHUTTING_DOWN', 'the runner is closed');
      current ??= connect();
      const { channel, runs } = current;
      lastRun += 1;
      const run = createSpawnedRun(lastRun, order, channel, onOutput);
      runs.set(lastRun, run);
      channel.write(jsonFrame(FRAME.start, lastRun, order));
      return run.result;
    },
    hasten: () => current?.watch.hasten(),
    async close() {
      closed = true;
      const connection = current;
      connection?.watch.hasten();
      connection?.channel.end();
      await connection?.gone;
    },
  };
}

function openConnection(options: SpawnerClientOptions, onGone: (words: string) => void): Connection {
  const script = options.script instanceof URL ? fileURLToPath(options.script) : options.script;
  const child = spawn(options.node, [script, options.pipesFolder, options.label], {
    // Nothing of the node's environment, no NODE_OPTIONS; a session of its own, so that no terminal signal reaches it.
    env: { NODE_V8_COVERAGE: undefined },
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const channel = child.stdio[3];
  if (!(channel instanceof Duplex)) throw new WritError('INTERNAL', 'the spawner has no channel');
  const runs = new Map<number, SpawnedRun>();
  let words = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-LAST_WORDS_BYTES);
  });
  const onFrame = createFrameReader((frame) => {
    watch.answered();
    if (runs.get(frame.run)?.handle(frame)) runs.delete(frame.run);
  });
  channel.on('data', (chunk: Buffer) => {
    try {
      onFrame(chunk);
    } catch (error) {
      words = `it sent what is no frame: ${error instanceof Error ? error.message : String(error)}`;
      child.kill('SIGKILL');
    }
  });
  channel.on('error', () => child.kill('SIGKILL'));
  let left = false;
  const leave = (): void => {
    if (left) return;
    left = true;
    watch.stop();
    onGone(words);
    for (const run of runs.values()) {
      run.abandon(`the spawner ended${words === '' ? '' : `: ${words}`}`, (marks) =>
        endTree({ marks, quietMs: QUIET_MS }, 0, options.tools),
      );
    }
    runs.clear();
  };
  let giveUp = (): void => {};
  const watch = watchOver(child, channel, options, {
    found: (why) => {
      words = why;
    },
    giveUp: () => giveUp(),
  });
  const gone = new Promise<void>((resolve) => {
    giveUp = () => {
      leave();
      channel.destroy();
      resolve();
    };
    child.on('error', (error) => {
      words = error.message;
      if (child.pid === undefined) leave();
      resolve();
    });
    // `close` comes after the last frame that the child has written was read.
    child.on('close', () => {
      leave();
      resolve();
    });
  });
  return { child, channel, runs, watch, gone };
}

/** Kills a spawner that does not answer. */
// INVARIANT: 9 a spawner that hangs keeps nothing alive: no task, and no node.
function watchOver(
  child: ChildProcess,
  channel: Duplex,
  { clock, askEveryMs = ASK_EVERY_MS }: SpawnerClientOptions,
  told: { found(why: string): void; giveUp(): void },
): SpawnerWatch {
  return watchSpawner({
    ...{ clock, askEveryMs },
    ask() {
      if (channel.writable) channel.write(frameHead(FRAME.ask, 0, 0));
    },
    onSilent(silentMs) {
      told.found(`it was stopped, or hung: no answer for ${silentMs / 1000} s`);
      child.kill('SIGKILL');
      child.once('close', clock.setTimer(LAST_WAIT_MS, told.giveUp));
    },
  });
}
