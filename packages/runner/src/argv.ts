import { quote, WritError } from '@writ/core';
import type { RunInput, RunnerConfig } from './types.ts';

/**
 * The argument vector that runs: the request's own for a `shell` runner, the template for a `command` runner with
 * `{prompt}` and `{workspace}` replaced inside its arguments, in one pass, so that nothing in a prompt is replaced
 * again. The program itself never comes from a prompt. Throws BAD_REQUEST where input and runner do not fit, or where
 * no process could be given these arguments.
 */
export function resolveArgv(runner: RunnerConfig, input: RunInput, workspace: string): readonly string[] {
  const argv = expand(runner, input, workspace);
  const [program] = argv;
  if (program === undefined || program === '') throw new WritError('BAD_REQUEST', 'the command is empty');
  if (argv.some((argument) => argument.includes('\0'))) {
    throw new WritError('BAD_REQUEST', 'an argument holds a NUL character');
  }
  return argv;
}

function expand(runner: RunnerConfig, input: RunInput, workspace: string): readonly string[] {
  if (runner.kind === 'shell') {
    if (input.kind === 'argv') return input.argv;
    throw new WritError('BAD_REQUEST', `runner ${quote(runner.name)} takes a command, not a prompt`);
  }
  if (input.kind === 'argv') {
    throw new WritError('BAD_REQUEST', `runner ${quote(runner.name)} takes a prompt, not a command`);
  }
  const values: Readonly<Record<string, string>> = { '{prompt}': input.prompt, '{workspace}': workspace };
  return runner.argv.map((part, at) =>
    part.replace(/\{prompt\}|\{workspace\}/g, (name) =>
      at === 0 && name === '{prompt}' ? name : (values[name] ?? name),
    ),
  );
}
