import { quote, WritError } from '@writ/core';
import type { RunInput, RunnerConfig } from '../types.ts';

/** The argument vector of the request. Throws BAD_REQUEST for a prompt. */
export function argvOf(runner: RunnerConfig, input: RunInput): readonly string[] {
  if (input.kind === 'argv') return input.argv;
  throw new WritError('BAD_REQUEST', `runner ${quote(runner.name)} takes a command, not a prompt`);
}

/** The prompt of the request. Throws BAD_REQUEST for an argument vector. */
export function promptOf(runner: RunnerConfig, input: RunInput): string {
  if (input.kind === 'prompt') return input.prompt;
  throw new WritError('BAD_REQUEST', `runner ${quote(runner.name)} takes a prompt, not a command`);
}

/** The same vector. Throws BAD_REQUEST where no process could be given it. */
export function assertProgram(argv: readonly string[]): readonly string[] {
  const [program] = argv;
  if (program === undefined || program === '') throw new WritError('BAD_REQUEST', 'the command is empty');
  if (argv.some((argument) => argument.includes('\0'))) {
    throw new WritError('BAD_REQUEST', 'an argument holds a NUL character');
  }
  return argv;
}
