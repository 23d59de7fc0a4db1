import { WritError } from '@writ/core';
import { Command, CommanderError, Option } from 'commander';
import { type CliContext, createCliContext, type GlobalOptions } from './context.ts';
import { EXIT } from './exit-codes.ts';

/** What a command does with its operands and options; returns the exit code. */
export type Action<Options> = (context: CliContext, operands: readonly string[], options: Options) => Promise<number>;

/** What the definitions of commands are made with. */
export interface Definitions {
  readonly program: Command;
  /** An action for commander: builds the context from the global options and keeps the exit code. */
  run<Options>(action: Action<Options>): (...args: unknown[]) => Promise<void>;
}

const USAGE_HINT = '(add --help for usage)';

/** The root command with the options that all commands take. */
export function createProgram(version: string): Command {
  return new Command('writ')
    .description('a mesh of peer gateways for AI coding agents')
    .version(version)
    .enablePositionalOptions()
    .showSuggestionAfterError()
    .showHelpAfterError(USAGE_HINT)
    .addOption(new Option('--json', 'results as JSON on standard output'))
    .addOption(new Option('--home <dir>', 'a whole node in one folder (also WRIT_HOME)'))
    .addOption(new Option('-q, --quiet', 'only results and errors'))
    .addOption(new Option('--raw', 'what tasks wrote goes to a terminal as it is, escapes too'))
    .exitOverride();
}

/**
 * Runs `argv` (without node and script) and returns the exit code; throws what an action throws, and with `json` also
 * BAD_REQUEST for a call that is wrong, where a person gets commander's own words.
 */
export async function runProgram(
  program: Command,
  define: (definitions: Definitions) => void,
  base: Parameters<typeof createCliContext>[0] & { readonly json: boolean },
  argv: readonly string[],
): Promise<number> {
  let exitCode: number = EXIT.ok;
  define({
    program,
    run:
      <Options>(action: Action<Options>) =>
      async (...args: unknown[]) => {
        const command = args.at(-1) as Command;
        const context = createCliContext(base, command.optsWithGlobals<GlobalOptions>());
        exitCode = await action(context, command.args, command.opts() as Options);
      },
  });
  settle(program, base.json);
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return EXIT.ok;
    if (!base.json) return EXIT.usage;
    const message = error.message.replace(/^error: /, '');
    throw new WritError('BAD_REQUEST', message, { nextSteps: ['writ --help'], cause: error });
  }
  return exitCode;
}

/** Every command takes the global options also after its own name, and throws instead of leaving the process. */
function settle(command: Command, json: boolean): void {
  if (json) command.configureOutput({ writeErr: () => undefined });
  for (const child of command.commands) {
    child.exitOverride().showHelpAfterError(USAGE_HINT).showSuggestionAfterError();
    if (child.commands.length === 0) {
      child.addOption(new Option('--json', 'results as JSON on standard output').hideHelp());
      child.addOption(new Option('--home <dir>', 'a whole node in one folder').hideHelp());
      child.addOption(new Option('-q, --quiet', 'only results and errors').hideHelp());
      child.addOption(new Option('--raw', 'what tasks wrote goes to a terminal as it is').hideHelp());
    }
    settle(child, json);
  }
}
