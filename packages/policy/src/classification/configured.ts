import { matchesPattern } from '@writ/core';
import type { CommandRule } from '../types.ts';
import type { Match } from './match.ts';
import type { Argument, CommandPlace, InnerCommand } from './types.ts';

/** What rules of the configuration say about a command. */
export interface Configured {
  readonly sure: readonly Match[];
  /** Those of `sure` that name the program by its absolute path, and so one file. */
  readonly ofFile: readonly Match[];
  /** Those that wait for a person's yes: they make nothing known and nothing milder. */
  readonly waiting: readonly Match[];
}

/** Every rule of the configuration that the command fits; `argv` names the program without its folder, `args` as it is written. */
export function configuredMatches(
  rules: readonly CommandRule[],
  argv: readonly string[],
  args: readonly Argument[],
  { host }: Pick<CommandPlace, 'host'>,
): Configured {
  const written = args.map(({ text }) => text);
  const isLiteral = args.every(({ shape }) => shape === 'literal');
  const found = rules.flatMap((rule, at) => {
    const matches = matchesPattern(rule.match, argv) || matchesPattern(rule.match, written);
    if (!matches || (rule.class !== 'destructive' && !isLiteral)) return [];
    const named = rule.target === undefined ? undefined : argv[rule.target];
    const isName = named !== undefined && isLiteral && /^[A-Za-z0-9_][A-Za-z0-9._@:+/-]*$/.test(named);
    const isWaiting = rule.onlyStricter === true;
    const targets = isName && !isWaiting ? [`${host}/${argv[0]}/${named}`] : [];
    const about = { rule: `commands[${at}]`, reason: 'the configuration says so' };
    const isOfFile = rule.match[0]?.startsWith('/') === true;
    return [{ isWaiting, isOfFile, match: { ...about, class: rule.class, needs: rule.needs, targets } }];
  });
  const sure = found.filter(({ isWaiting }) => !isWaiting);
  return {
    sure: sure.map(({ match }) => match),
    ofFile: sure.filter(({ isOfFile }) => isOfFile).map(({ match }) => match),
    waiting: found.filter(({ isWaiting }) => isWaiting).map(({ match }) => match),
  };
}

/**
 * What the configuration says about a wrapper, beside what is inside of it: the strictest of all decides, so that no such rule makes
 * what runs inside milder.
 */
export function aboutWrapper(
  rules: readonly CommandRule[],
  argv: readonly string[],
  args: readonly Argument[],
  { host }: Pick<CommandPlace, 'host'>,
): readonly InnerCommand[] {
  const { sure, waiting } = configuredMatches(rules, argv, args, { host });
  const about = { argv: args.map(({ text }) => text), host };
  return [
    ...sure.map((match) => ({ ...about, ...match })),
    ...waiting.map((match) => ({ ...about, ...match, rule: WAITING })),
  ];
}

/** No rule of the configuration yet: nothing is let through for its name. */
const WAITING = 'wrapper.waiting';
