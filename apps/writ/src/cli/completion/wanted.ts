import type { Argument, Command, Option } from 'commander';
import type { Candidate, NamedKind, Wanted } from './types.ts';

/** What an option takes, by its long name. */
const OPTION_KINDS: Readonly<Record<string, NamedKind>> = {
  '--peer': 'peer',
  '--from': 'peer',
  '--to': 'peer',
  '--origin': 'peer',
  '--profile': 'profile',
  '--profiles': 'profile',
  '--workspace': 'workspace',
  '--workspaces': 'workspace',
};

/** What an operand names; `id` is the id of what its command is about. */
const OPERAND_KINDS: Readonly<Record<string, NamedKind>> = {
  task: 'task',
  peer: 'peer',
  label: 'peer',
  profile: 'profile',
  execution: 'execution',
  approver: 'approver',
};
const ID_KINDS: readonly NamedKind[] = ['lease', 'approval', 'window', 'session'];

/** Operands and values that are paths of this machine. */
const PATH_NAME = /file|dir|path|bundle|before|what/;

const NOTHING: Wanted = { words: [], isPath: false };

/** What could come next: `words` are those typed behind `writ`, the last one perhaps begun only. */
export function wantedNext(program: Command, words: readonly string[]): Wanted {
  const typed = words.slice(0, -1);
  const begun = words.at(-1) ?? '';
  let command = program;
  let operands = 0;
  let peer: string | undefined;
  let open: Option | undefined;
  for (const word of typed) {
    if (open !== undefined) {
      if (open.long === '--peer') peer = word;
      open = undefined;
      continue;
    }
    if (word === '--') return { words: [], isPath: true };
    if (word.startsWith('-') && word !== '-') {
      open = valueWanted(command, word);
      continue;
    }
    const child = command.commands.find((one) => one.name() === word);
    if (child !== undefined) command = child;
    else operands += 1;
  }
  const at = peer === undefined ? {} : { peer };
  if (open !== undefined) return { ...ofOption(open), ...at };
  if (begun.startsWith('-')) return { words: optionsOf(command), isPath: false };
  if (command.commands.length > 0) return { words: commandsOf(command), isPath: false };
  const { registeredArguments: all } = command;
  const operand = all[operands] ?? (all.at(-1)?.variadic === true ? all.at(-1) : undefined);
  return operand === undefined ? NOTHING : { ...ofOperand(command, operand), ...at };
}

/** The option of that name, where its value is the next word. */
function valueWanted(command: Command, word: string): Option | undefined {
  for (let one: Command | null = command; one !== null; one = one.parent) {
    const option = one.options.find(({ short, long }) => word === short || word === long);
    if (option !== undefined) return option.required || option.optional ? option : undefined;
  }
  return undefined;
}

function ofOption({ long = '', flags, argChoices }: Option): Wanted {
  if (argChoices !== undefined) return { words: argChoices.map(plain), isPath: false };
  const named = OPTION_KINDS[long];
  const value = /[<[](.*)[>\]]/.exec(flags)?.[1] ?? '';
  if (named !== undefined && !value.includes('=')) return { words: [], named, isPath: false };
  return { words: [], isPath: PATH_NAME.test(value) };
}

function ofOperand(command: Command, argument: Argument): Wanted {
  const { argChoices } = argument;
  if (argChoices !== undefined) return { words: argChoices.map(plain), isPath: false };
  const name = argument.name();
  const about = ID_KINDS.find((kind) => kind === command.parent?.name());
  const named = name === 'id' ? about : OPERAND_KINDS[name];
  return { words: [], isPath: PATH_NAME.test(name), ...(named === undefined ? {} : { named }) };
}

const plain = (word: string): Candidate => ({ word, says: '' });

function commandsOf(command: Command): Candidate[] {
  const shown = command.createHelp().visibleCommands(command);
  return shown
    .map((child) => ({ word: child.name(), says: child.description() }))
    .filter(({ word }) => word !== 'help' || command.parent === null);
}

function optionsOf(command: Command): Candidate[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .map((option) => ({ word: option.long ?? option.flags, says: option.description }));
}
