import type { Argument, CommandPlace } from './types.ts';
import type { Unwrapped } from './unwrapped.ts';

const RUNS: ReadonlySet<string> = new Set(['-exec', '-execdir', '-ok', '-okdir']);
/** A found path: it begins with where the search began, or with `./`. */
const FOUND: Argument = { text: '{}', shape: 'path' };

/** `find … -exec COMMAND … ;`. What find does itself is for its rules. */
export function unwrapFind(args: readonly Argument[], place: CommandPlace): Unwrapped {
  const commands: (readonly Argument[])[] = [];
  const own: Argument[] = [];
  for (let at = 0; at < args.length; at++) {
    const argument = args[at] as Argument;
    if (!RUNS.has(argument.text)) {
      own.push(argument);
      continue;
    }
    const end = args.findIndex(({ text }, later) => later > at && (text === ';' || text === '+'));
    if (end < 0) return { kind: 'undecided', reason: 'the command of find has no end' };
    const inside = args.slice(at + 1, end).map(withFound);
    if (inside.length === 0 || inside[0]?.shape !== 'literal') {
      return { kind: 'undecided', reason: 'the command of find cannot be told' };
    }
    commands.push(inside);
    at = end;
  }
  if (commands.length === 0) return { kind: 'plain' };
  const { host, workspace } = place;
  const nowhere = { host, ...(workspace === undefined ? {} : { workspace }) };
  return { kind: 'commands', commands, own, place: nowhere, variables: [], elsewhere: false };
}

/** The placeholder alone becomes a path; inside of a longer text it may become part of anything. */
function withFound(argument: Argument): Argument {
  if (argument.text === '{}') return FOUND;
  return argument.text.includes('{}') ? { text: argument.text, shape: 'any' } : argument;
}
