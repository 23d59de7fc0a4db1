import { examplesOf } from './examples.ts';
import { definedProgram, type LeafCommand, leafCommands } from './leaf-commands.ts';

/** Every command as Markdown, from the same definitions that `writ --help` shows; docs/cli.md holds it. */
export function commandReference(): string {
  return leafCommands(definedProgram()).map(section).join('\n\n');
}

function section({ words, command }: LeafCommand): string {
  const lines = [`### \`writ ${words}\``, '', `${capital(command.description())}.`];
  const operands = command.registeredArguments.map((argument) => {
    const name = argument.variadic ? `${argument.name()}…` : argument.name();
    return row(argument.required ? `<${name}>` : `[${name}]`, argument.description);
  });
  const options = command.options.map((option) =>
    row(option.flags, withDefault(option.description, option.defaultValue)),
  );
  if (operands.length + options.length > 0) lines.push('', '| | |', '|---|---|', ...operands, ...options);
  const calls = examplesOf(command);
  if (calls.length > 0) lines.push('', '```sh', ...calls, '```');
  return lines.join('\n');
}

const row = (what: string, meaning: string): string => `| \`${what}\` | ${meaning.replaceAll('|', '\\|')} |`;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function withDefault(description: string, value: unknown): string {
  return typeof value === 'string' && value !== '' ? `${description} (absent: \`${value}\`)` : description;
}
