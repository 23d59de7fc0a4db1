import type { Command } from 'commander';

/** The option of every command that may ask an approver for an answer. */
export function keyOption(command: Command): Command {
  return command.option('--key-file <file>', "the approver's key, where it is not kept in the home");
}
