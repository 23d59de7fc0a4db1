import { createSystemClock, toWritError } from '@writ/core';
import { readEnvironment } from '../env.ts';
import { VERSION } from '../version.ts';
import { defineCommands } from './commands/index.ts';
import { exitCodeOf } from './exit-codes.ts';
import { createOutput } from './output.ts';
import { createProgram, runProgram } from './program.ts';

/** Entry of the `writ` command. */
async function main(argv: readonly string[]): Promise<number> {
  const environment = readEnvironment();
  const streams = { in: process.stdin, out: process.stdout, err: process.stderr };
  const interrupt = new AbortController();
  process.once('SIGINT', () => {
    interrupt.abort();
    process.once('SIGINT', () => process.exit(130));
  });
  const json = asksForJson(argv);
  const base = { environment, clock: createSystemClock(), streams, signal: interrupt.signal };
  try {
    return await runProgram(createProgram(VERSION), defineCommands, { ...base, json }, argv);
  } catch (error) {
    createOutput(streams, { json, noColor: environment.noColor }).failure(error);
    return exitCodeOf(toWritError(error).code);
  }
}

/** What stands after `--` belongs to somebody else's program. */
function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end < 0 ? argv : argv.slice(0, end)).includes('--json');
}

// A reader that went away (`writ … | head`) is no fault of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
process.exitCode = await main(process.argv.slice(2));
