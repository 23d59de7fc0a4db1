import type { Match } from './match.ts';
import type { Argument, BuiltInRule, ProgramSpec } from './types.ts';

/** Name of what decides about a call with which a program says what it is; it belongs to no pack. */
export const ANSWERS = 'program.answers';

/** What such a call is: it needs nothing, for whoever may start a program at all may ask it who it is. */
export const ANSWER: Match = {
  rule: ANSWERS,
  class: 'read',
  needs: [],
  targets: [],
  reason: 'says what the program is, and runs nothing',
};

/**
 * True where the arguments are a whole on the program's list of those with which it only says what it is, or one of its commands with
 * the option that explains it. With one more argument it is a call like others.
 * INVARIANT: 5 what is taken for harmless is written out whole: behind `--version` some programs go on.
 */
export function isAnswer(
  { answers = [], explains }: ProgramSpec,
  rules: readonly BuiltInRule[],
  args: readonly Argument[],
): boolean {
  if (args.some(({ shape, text }) => shape !== 'literal' || text.includes(' '))) return false;
  const [command = '', option, ...more] = args.map(({ text }) => text);
  if (answers.includes(args.map(({ text }) => text).join(' '))) return true;
  if (option === undefined || option !== explains || more.length > 0) return false;
  return rules.some(({ words: [commands] = [] }) => commands?.includes(command));
}
