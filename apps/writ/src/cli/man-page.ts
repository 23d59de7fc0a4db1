import { VERSION } from '../version.ts';
import { examplesOf } from './examples.ts';
import { EXIT_MEANINGS } from './exit-codes.ts';
import { definedProgram, type LeafCommand, leafCommands } from './leaf-commands.ts';

/** The manual page `writ(1)` as troff, from the same definitions that `writ --help` shows. */
export function manPage(): string {
  const program = definedProgram();
  return [
    `.TH WRIT 1 "" "writ ${VERSION}" "Writ"`,
    '.SH NAME',
    `writ \\- ${troff(program.description())}`,
    '.SH SYNOPSIS',
    '.B writ',
    '[\\fIOPTIONS\\fR] \\fICOMMAND\\fR ...',
    '.SH DESCRIPTION',
    'Every machine runs one node. Its gateway serves the local agent and the local person; nodes are equal peers.',
    'Results go to standard output, everything else to standard error.',
    '.SH OPTIONS',
    ...program.options.flatMap(({ flags, description }) => item(flags, description)),
    '.SH COMMANDS',
    ...leafCommands(program).flatMap(commandLines),
    '.SH EXIT STATUS',
    ...Object.entries(EXIT_MEANINGS).flatMap(([code, meaning]) => item(code, meaning)),
    '.SH ENVIRONMENT',
    ...item('WRIT_HOME', 'a whole node in one folder'),
    ...item('WRIT_SESSION', 'credential of the session that calls belong to'),
    ...item('NO_COLOR', 'no colours, whatever the terminal can'),
    ...item('TERM', 'with `dumb` neither colours nor anything that moves'),
    ...item('XDG_CONFIG_HOME, XDG_DATA_HOME', 'where configuration, and data with the sockets, lie'),
    '',
  ].join('\n');
}

function commandLines({ words, command }: LeafCommand): readonly string[] {
  const operands = command.registeredArguments.map((argument) => {
    const name = argument.variadic ? `${argument.name()}...` : argument.name();
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  const calls = examplesOf(command);
  return [
    `.SS ${troff(['writ', words, ...operands].join(' '))}`,
    text(command.description()),
    ...command.options.filter(({ hidden }) => !hidden).flatMap(({ flags, description }) => item(flags, description)),
    ...(calls.length === 0 ? [] : ['.PP', '.nf', ...calls.map((call) => `    ${troff(call)}`), '.fi']),
  ];
}

const item = (tag: string, meaning: string): readonly string[] => ['.TP', `.B ${troff(tag)}`, text(meaning)];

/** A line that begins with a dot or an apostrophe would be a request. */
const text = (words: string): string => troff(words).replace(/^([.'])/, '\\&$1');

const troff = (words: string): string => words.replaceAll('\\', '\\e').replaceAll('-', '\\-');
