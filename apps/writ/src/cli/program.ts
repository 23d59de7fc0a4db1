import { nearest, quote, WritError } from '@writ/core';
import { Command, CommanderError, Option } from 'commander';
import { type CliContext, createCliContext, type GlobalOptions } from './context.ts';
import { examplesOf } from './examples.ts';
import { EXIT } from './exit-codes.ts';

/** What a command does with its operands and options; returns the exit code. */
export type Action<Options> = (context: CliContext, operands: readonly string[], options: Options) => Promise<number>;

/** What the definitions of commands are made with. */
export interface Definitions {
  readonly program: Command;
  /** An action for commander: builds the context from the global options and keeps the exit code. */
  run<Options>(action: Action<Options>): (...args: unknown[]) => Promise<void>;
}

/** The root command with the options that all commands take. */
export function createProgram(version: string): Command {
  return new Command('writ')
    .description('a mesh of peer gateways for AI coding agents')
    .version(version)
    .enablePositionalOptions()
    .showSuggestionAfterError()
    .addOption(new Option('--json', 'results as JSON on standard output'))
    .addOption(new Option('--home <dir>', 'a whole node in one folder (also WRIT_HOME)'))
    .addOption(new Option('-q, --quiet', 'only results and errors'))
    .addOption(new Option('--raw', 'what tasks wrote goes to a terminal as it is, escapes too'));
}

/** Runs `argv` (without node and script) and returns the exit code; throws what an action throws, and BAD_REQUEST for a call that is wrong. */
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
  let wrong = program;
  const shown: Shown = { out: '', err: '' };
  settle(program, shown, (command) => {
    wrong = command;
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const { out, err } = base.streams;
    const topic = unknownTopic(wrong, error);
    if (error.exitCode === 0 || topic === '') {
      const what = error.code === 'commander.version' ? 'version' : 'help';
      const text = shown.out + shown.err;
      out.write(base.json ? `${JSON.stringify({ [what]: text.trimEnd() })}\n` : text);
      return EXIT.ok;
    }
    if (topic !== undefined) throw unknownCommand(wrong, topic, error);
    // A group without a command shows its help, which says what there is.
    if (error.code === 'commander.help' && !base.json) {
      err.write(shown.err);
      return EXIT.usage;
    }
    throw usageError(wrong, error);
  }
  return exitCode;
}

/** What commander would have written: which of it is, and in which form, is decided when it has ended. */
interface Shown {
  out: string;
  err: string;
}

/**
 * What `help` was asked about where no command has that name, which commander shows the help of all for; empty where it was
 * asked about nothing, with an option behind it.
 */
function unknownTopic(group: Command, { code }: CommanderError): string | undefined {
  const [first, ...words] = group.args;
  if (code !== 'commander.help' || first !== 'help') return undefined;
  const topic = words.find((word) => !word.startsWith('-')) ?? '';
  return group.commands.some((command) => command.name() === topic) ? undefined : topic;
}

function unknownCommand(group: Command, name: string, cause: CommanderError): WritError {
  const meant = nearest(
    name,
    group.commands.map((command) => command.name()),
  );
  const guess = meant === undefined ? '' : `: did you mean ${quote(meant)}?`;
  return new WritError('BAD_REQUEST', `unknown command ${quote(name)}${guess}`, {
    nextSteps: [`${wordsOf(group)} --help`],
    cause,
  });
}

/** A command as it is typed. */
function wordsOf(command: Command): string {
  return command.parent === null ? command.name() : `${wordsOf(command.parent)} ${command.name()}`;
}

/** What is wrong with a call, in the words of every other error, with a call of that command that is right. */
function usageError(command: Command, cause: CommanderError): WritError {
  const said = cause.code === 'commander.help' ? `${wordsOf(command)} needs a command` : cause.message;
  const message = said
    .replace(/^error: /, '')
    .replaceAll(/'([^'\n]*)'/g, '`$1`')
    .replace(/\n\(Did you mean (.*)\?\)$/s, ': did you mean `$1`?')
    .replace('. Expected ', ': expected ')
    .replace('. Allowed choices are ', '; choose one of ')
    .replace(/\.$/, '');
  const [right] = examplesOf(command);
  return new WritError('BAD_REQUEST', message, {
    nextSteps: [...(right === undefined ? [] : [right]), `${wordsOf(command)} --help`],
    cause,
  });
}

/**
 * Every command takes the global options also after its own name, and throws instead of leaving the process, after it was
 * told to `onFailure`.
 */
function settle(command: Command, shown: Shown, onFailure: (command: Command) => void): void {
  command.exitOverride((error) => {
    onFailure(command);
    throw error;
  });
  command.configureOutput({
    outputError: () => undefined,
    writeOut(text) {
      shown.out += text;
    },
    writeErr(text) {
      shown.err += text;
    },
  });
  for (const child of command.commands) {
    child.showSuggestionAfterError();
    if (child.commands.length === 0) {
      child.addOption(new Option('--json', 'results as JSON on standard output').hideHelp());
      child.addOption(new Option('--home <dir>', 'a whole node in one folder').hideHelp());
      child.addOption(new Option('-q, --quiet', 'only results and errors').hideHelp());
      child.addOption(new Option('--raw', 'what tasks wrote goes to a terminal as it is').hideHelp());
    }
    settle(child, shown, onFailure);
  }
}
