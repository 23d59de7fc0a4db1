import type { Command } from 'commander';
import { VERSION } from '../version.ts';
import { defineCommands } from './commands/index.ts';
import { createProgram } from './program.ts';

/** Every command as Markdown, from the same definitions that `writ --help` shows; docs/cli.md holds it. */
export function commandReference(): string {
  const program = createProgram(VERSION);
  defineCommands({ program, run: () => async () => undefined });
  return leaves(program, []).map(section).join('\n\n');
}

interface Leaf {
  readonly path: readonly string[];
  readonly command: Command;
}

function leaves(command: Command, path: readonly string[]): readonly Leaf[] {
  return command.commands.flatMap((child) => {
    const here = [...path, child.name()];
    return child.commands.length === 0 ? [{ path: here, command: child }] : leaves(child, here);
  });
}

function section({ path, command }: Leaf): string {
  const lines = [`### \`writ ${path.join(' ')}\``, '', `${capital(command.description())}.`];
  const operands = command.registeredArguments.map((argument) => {
    const name = argument.variadic ? `${argument.name()}…` : argument.name();
    return row(argument.required ? `<${name}>` : `[${name}]`, argument.description);
  });
  const options = command.options.map((option) =>
    row(option.flags, withDefault(option.description, option.defaultValue)),
  );
  if (operands.length + options.length > 0) lines.push('', '| | |', '|---|---|', ...operands, ...options);
  return lines.join('\n');
}

const row = (what: string, meaning: string): string => `| \`${what}\` | ${meaning.replaceAll('|', '\\|')} |`;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function withDefault(description: string, value: unknown): string {
  return typeof value === 'string' && value !== '' ? `${description} (absent: \`${value}\`)` : description;
}
