import { quote } from '@writ/core';
import { maskOf, maskWithin } from './capabilities.ts';
import type { Placed, Report } from './readers.ts';
import type { CommandPattern } from './types.ts';

/**
 * Programs that do no more than print or wait, whatever their arguments are: none of them writes, starts another
 * program, reaches the network or shows what a file holds. `date` (sets the clock, shows files), `hostname` (sets the
 * name), `env` (starts programs), `ps` (shows the environment of others) and `ls` are none of them.
 */
const HARMLESS_PROGRAMS: readonly string[] = [
  'arch',
  'df',
  'echo',
  'false',
  'groups',
  'id',
  'nproc',
  'printf',
  'pwd',
  'sleep',
  'true',
  'uname',
  'whoami',
];

/** Members of a closure of which one makes commands with free arguments no wider than it is. */
const RUNS_ANYTHING: readonly number[] = [maskOf(['run_tests']), maskOf(['shell'])];

/**
 * Reports patterns that are a shell by another name. A command that is written out is what a person has read; one with
 * a free argument may run whatever its program runs (`sh -c`, `git -c`, `node -e`), so that it takes a capability
 * which is high-risk.
 */
// INVARIANT: 1 a profile's rank covers what its commands can do.
export function checkCommands(patterns: readonly Placed<CommandPattern>[], mask: number, report: Report): void {
  const runsAnything = RUNS_ANYTHING.some((one) => maskWithin(one, mask));
  for (const { path, value: pattern } of patterns) {
    const [program = ''] = pattern;
    if (isFree(program)) {
      report('BAD_VALUE', path, `a command pattern begins with a program, and ${quote(program)} stands for any`);
    } else if (pattern.some(isFree) && !runsAnything && !HARMLESS_PROGRAMS.includes(program)) {
      const why = `with free arguments ${quote(program)} may run anything`;
      const instead = 'write the arguments out, or add "run_tests" to `capabilities`';
      report('BAD_VALUE', path, `${why}; ${instead} (free arguments: ${HARMLESS_PROGRAMS.join(', ')})`);
    }
  }
}

function isFree(argument: string): boolean {
  return argument === '*' || argument === '**';
}
