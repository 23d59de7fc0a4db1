import { matchesPattern, quote, WritError } from '@writ/core';
import type { CommandRule } from './types.ts';

/** Throws COMMAND_NOT_ALLOWED, naming the patterns that there are, where the profile does not let `argv` run. */
// INVARIANT: 1 what runs is within what was granted: without shell access only the profile's own commands.
export function assertCommandAllowed(argv: readonly string[], rule: CommandRule): void {
  if (rule === 'allow' || rule.some((pattern) => matchesPattern(pattern, argv))) return;
  const known = rule.map((pattern) => quote(pattern.join(' '))).join(', ');
  throw new WritError(
    'COMMAND_NOT_ALLOWED',
    rule.length === 0
      ? `command ${quote(argv.join(' '))} is not allowed: the profile allows no commands`
      : `command ${quote(argv.join(' '))} is not allowed: the profile allows ${known}`,
    {
      details: { command: argv.join(' '), patterns: rule.length },
      nextSteps: [
        'ask for a command that matches one of the profile’s `commands`',
        'or, on the executing node, add a pattern to `commands` of the profile, or give it `shell = "allow"`',
      ],
    },
  );
}
