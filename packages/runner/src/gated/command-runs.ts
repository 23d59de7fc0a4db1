import { rmSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, ensurePrivateDirectory, type Logger, type Random, WritError } from '@writ/core';
import { MARKER } from '../process-tree/members.ts';
import type { Spawner } from '../spawned.ts';
import { DIRECTORY_CHANGED } from '../spawner/frames.ts';
import { startFailure } from '../start-failure.ts';
import { type Capture, createRun } from '../task-run.ts';
import type { OutputLogs, OutputWriter } from './output-log.ts';
import type { CommandOrder, CommandRun, CommandRuns } from './types.ts';

/** What commands are started with. */
export interface CommandRunsOptions {
  readonly spawner: Spawner;
  readonly logs: OutputLogs;
  /** Absolute folder for standard input, of these commands alone; what an earlier node left there is removed first. */
  readonly folder: string;
  /** How the mark of every process of the node's own begins, by which a later start finds what is left. */
  readonly noncePrefix: string;
  readonly graceMs: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Gated commands as processes, each a tree of its own. */
export interface LiveCommandRuns extends CommandRuns {
  /** Takes no more and ends what runs as cancelled. */
  end(): Promise<void>;
}

const NONCE_BYTES = 16;

export function createCommandRuns(options: CommandRunsOptions): LiveCommandRuns {
  const { logs } = options;
  // It may hold secrets, which nobody reads any more.
  rmSync(options.folder, { recursive: true, force: true });
  const live = new Set<CommandRun>();
  const starting = new Set<Promise<unknown>>();
  let isEnded = false;
  return {
    async start(order, onOutput) {
      if (isEnded) throw new WritError('SHUTTING_DOWN', 'the runner is closed');
      const beginning = spawnCommand(options, order, onOutput);
      starting.add(beginning);
      try {
        const run = await beginning;
        live.add(run);
        void run.done.then(() => live.delete(run));
        return run;
      } finally {
        starting.delete(beginning);
      }
    },
    readOutput: (id, offset) => logs.read(id, offset),
    removeOutputs: (isKept, signal) => logs.remove(isKept, signal),
    async end() {
      isEnded = true;
      await Promise.allSettled(starting);
      const left = [...live];
      for (const run of left) run.stop({ kind: 'cancel', cause: 'the node is going down' });
      await Promise.all(left.map(({ done }) => done));
    },
  };
}

async function spawnCommand(
  options: CommandRunsOptions,
  order: CommandOrder,
  onOutput: () => void,
): Promise<CommandRun> {
  const { spawner, logs, noncePrefix, graceMs, clock, random, logger } = options;
  if (order.argv.some((argument) => argument.includes('\0'))) {
    throw new WritError('BAD_REQUEST', 'an argument holds a NUL character');
  }
  const nonce = `${noncePrefix}${Buffer.from(random.bytes(NONCE_BYTES)).toString('hex')}`;
  const stdinFile = order.stdin === undefined ? undefined : await writeInput(options.folder, nonce, order.stdin);
  try {
    const log = logs.writer(order.id, order.maxOutputBytes);
    const capture = createLogCapture(log, onOutput);
    const { argv, cwd, program, directory } = order;
    const env = { ...order.env, [MARKER]: nonce };
    const input = stdinFile === undefined ? {} : { stdinFile };
    const result = await spawner.spawn(
      { argv, cwd, program, directory, env, nonce, graceMs, ...input },
      capture.onOutput,
    );
    if (!result.ok) throw await failureOf(order, result.failed);
    const spec = { task: order.id, timeoutMs: order.timeoutMs, maxOutputBytes: order.maxOutputBytes };
    return createRun({ spec, process: result.process, capture, transcript: log, clock, logger });
  } finally {
    // The process has it open by now.
    if (stdinFile !== undefined) await rm(stdinFile, { force: true });
  }
}

function createLogCapture(log: OutputWriter, onOutput: () => void): Pick<Capture, 'onOutput' | 'totals'> {
  const totals = { stdout: 0, stderr: 0 };
  return {
    totals,
    async onOutput(stream, bytes) {
      totals[stream] += bytes.length;
      await log.append(stream, bytes);
      onOutput();
    },
  };
}

async function failureOf(
  { argv, cwd, env }: CommandOrder,
  failed: { readonly errno: string; readonly message: string },
): Promise<WritError> {
  if (failed.errno === DIRECTORY_CHANGED) {
    return new WritError('CHANGED_SINCE_APPROVAL', 'the working directory is another one now');
  }
  const runner = { name: 'shell', kind: 'shell', argv: [] } as const;
  return startFailure({ runner, program: argv[0] ?? '', path: env.PATH ?? '', cwd }, failed);
}

async function writeInput(folder: string, name: string, input: Uint8Array): Promise<string> {
  ensurePrivateDirectory(folder);
  const path = join(folder, name);
  await writeFile(path, input, { mode: 0o600, flag: 'wx' });
  return path;
}
