import { formatDuration, shellWord, WritError } from '@writ/core';
import { findProgram } from '@writ/runner';
import type { Environment } from '../env.ts';
import type { Home } from '../home.ts';
import { ownArgv } from '../own-script.ts';
import { runProgram } from '../run-program.ts';
import type { ClientWorld, Said, ServerCommand } from './types.ts';

/** Longest that a client's own command may take, milliseconds. */
const LONGEST_MS = 60_000;

/**
 * This machine, for registering. `tell` hears of each command of a client before it runs: one that hangs does so for a minute.
 * Throws BAD_REQUEST where there is no home folder, which every client keeps settings in.
 */
export function openClientWorld(
  { all, homeDir }: Pick<Environment, 'all' | 'homeDir'>,
  tell: (text: string) => void = () => {},
): ClientWorld {
  if (homeDir === undefined) {
    throw new WritError('BAD_REQUEST', 'there is no home directory: HOME is not set', { nextSteps: ['set HOME'] });
  }
  return {
    homeDir,
    platform: process.platform,
    environment: all,
    findProgram: (name) => findProgram(name, all.PATH ?? ''),
    execute(argv) {
      tell(`running ${argv.map(shellWord).join(' ')} (${formatDuration(LONGEST_MS)} at most)`);
      return execute(argv, all);
    },
  };
}

/** What a client starts: this very program, for this home, whatever the client hands on of the environment. */
export function mcpServerCommand(home: Pick<Home, 'named'>): ServerCommand {
  const [command, ...args] = ownArgv(home, ['mcp', 'serve']);
  return { command, args };
}

async function execute(argv: readonly string[], environment: ClientWorld['environment']): Promise<Said> {
  const { exitCode, stdout, said } = await runProgram(argv, { environment, timeoutMs: LONGEST_MS });
  return { exitCode, said: said + stdout };
}
