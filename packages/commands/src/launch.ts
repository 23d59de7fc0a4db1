import type { HeldAction } from '@writ/authority';

/** The file that is executed, and its arguments as it sees them. */
export interface Launch {
  readonly program: string;
  readonly argv: readonly string[];
}

/**
 * How what is held is started: the file that was hashed, under the name that was asked for. A script is given to what
 * runs it from where it is held, whether it is the program itself or the first operand of an interpreter. Other files
 * that arguments name stay what they are: a program may have to write there.
 * INVARIANT: 5 what runs is what was hashed.
 */
export function launchOf({ action, held, interpreters, script }: HeldAction): Launch {
  const [main] = action.programs;
  const own = script === undefined ? action.request.argv : action.request.argv.with(script.at, at(held, script.path));
  const [name = '', ...rest] = own;
  // As the kernel does it: what runs the script comes first, with its one argument, and then the script's own path.
  let launch: Launch = { program: at(held, main?.path ?? ''), argv: [name, ...rest] };
  for (const { path, argument } of interpreters) {
    const [, ...seen] = launch.argv;
    const between = argument === undefined ? [] : [argument];
    launch = { program: at(held, path), argv: [path, ...between, launch.program, ...seen] };
  }
  return launch;
}

/** Where it is held; what is not, nowhere can be run. */
function at(held: HeldAction['held'], path: string): string {
  return held.get(path) ?? '';
}
