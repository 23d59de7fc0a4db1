import type { Command } from 'commander';
import { VERSION } from '../version.ts';
import { defineCommands } from './commands/index.ts';
import { createProgram } from './program.ts';

/** A command that does something, such as `task list`. */
export interface LeafCommand {
  /** Its words behind `writ`. */
  readonly words: string;
  readonly command: Command;
}

/** The program with every command, of which none does anything. */
export function definedProgram(): Command {
  const program = createProgram(VERSION);
  defineCommands({ program, run: () => async () => undefined });
  return program;
}

/** Every command that does something and is shown, in the order of the help. */
export function leafCommands(command: Command, before = ''): readonly LeafCommand[] {
  const shown = new Set(command.createHelp().visibleCommands(command));
  return command.commands
    .filter((child) => shown.has(child))
    .flatMap((child) => {
      const words = before === '' ? child.name() : `${before} ${child.name()}`;
      return child.commands.length === 0 ? [{ words, command: child }] : leafCommands(child, words);
    });
}
