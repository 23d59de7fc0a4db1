import { createSystemClock, toWritError } from '@writ/core';
import { readEnvironment } from '../env.ts';
import { openTerminal, type Terminal } from '../terminal/terminal.ts';
import { VERSION } from '../version.ts';
import { exitCodeOf } from './exit-codes.ts';
import { CLEAR_LINE } from './live-view.ts';
import { createOutput } from './output.ts';
import { createProgram, type Definitions, runProgram } from './program.ts';
import { homeNamed } from './with-home.ts';

/** The terminal that this process belongs to. */
const TERMINAL_DEVICE = '/dev/tty';

/**
 * Runs this process as the `writ` command with the commands that `define` defines, and leaves the exit code to be the
 * process's.
 */
export async function runCli(define: (definitions: Definitions) => void): Promise<void> {
  // Nobody is left who could be told.
  process.stderr.on('error', () => undefined);
  // A reader that went away (`writ … | head`) is no fault of ours.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // Whoever has something to say about it says it first.
    if (error.code === 'EPIPE') return process.nextTick(() => leave(0));
    process.stderr.write(`error: the output could not be written: ${error.message}\n`, () => process.exit(1));
  });
  process.exitCode = await main(define, process.argv.slice(2));
}

async function main(define: (definitions: Definitions) => void, argv: readonly string[]): Promise<number> {
  const environment = readEnvironment();
  const streams = {
    // Made when something reads it: most commands do not.
    get in() {
      return process.stdin;
    },
    out: process.stdout,
    err: process.stderr,
  };
  const interrupt = new AbortController();
  process.once('SIGINT', () => {
    interrupt.abort();
    process.once('SIGINT', () => leave(130));
  });
  const json = asksForJson(argv);
  const stopSignal = createStopSignal(interrupt.signal);
  const terminal = (): Terminal => openTerminal(TERMINAL_DEVICE);
  const base = { environment, clock: createSystemClock(), streams, signal: interrupt.signal, stopSignal, terminal };
  try {
    return await runProgram(createProgram(VERSION), define, { ...base, json }, argv);
  } catch (error) {
    createOutput(streams, { json, noColor: environment.noColor, home: homeNamed(argv) }).failure(error);
    return exitCodeOf(toWritError(error).code);
  }
}

/** Listens to what asks a program to end only once somebody wants to tidy up first. */
function createStopSignal(interrupt: AbortSignal): () => AbortSignal {
  let stop: AbortSignal | undefined;
  return () => {
    if (stop !== undefined) return stop;
    const ended = new AbortController();
    for (const name of ['SIGTERM', 'SIGHUP'] as const) process.once(name, () => ended.abort(name));
    stop = AbortSignal.any([interrupt, ended.signal]);
    return stop;
  };
}

/** What stands after `--` belongs to somebody else's program. */
function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end < 0 ? argv : argv.slice(0, end)).includes('--json');
}

/** Ends at once, without the line of progress that may stand on the terminal. */
function leave(code: number): never {
  if (process.stderr.isTTY === true) process.stderr.write(CLEAR_LINE);
  return process.exit(code);
}
