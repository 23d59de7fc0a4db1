import { shellWord } from '@writ/core';

/** Where a command of this program begins within a step: at its start, or behind what joins or introduces one. */
const COMMAND = /(^|[:;,] |&& |or )writ (?=[a-z-])(?!--home)/g;
/** What is typed somewhere else has another home. */
const ELSEWHERE = /^(?:on (?:that|the other|the executing) |there[,:]|(?:have )?a person o[fn] )/;

/** A next step as it is to be typed by whoever named a home with `--home`. */
export function withHome(step: string, home: string | undefined): string {
  if (home === undefined || ELSEWHERE.test(step)) return step;
  return step.replace(COMMAND, (_, before: string) => `${before}writ --home ${shellWord(home)} `);
}

/** The home that a call names, before what stands after `--`. */
export function homeNamed(argv: readonly string[]): string | undefined {
  const end = argv.indexOf('--');
  const own = end < 0 ? argv : argv.slice(0, end);
  const at = own.findLastIndex((word) => word === '--home' || word.startsWith('--home='));
  if (at < 0) return undefined;
  return own[at] === '--home' ? own[at + 1] : own[at]?.slice('--home='.length);
}
