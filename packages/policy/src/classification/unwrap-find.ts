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
    const end = args.findIndex((_, later) => later > at && endsCommand(args, later));
    if (end < 0) return { kind: 'undecided', reason: 'the command of find has no end' };
    if (isDoubtful(args.slice(at, end))) return { kind: 'undecided', reason: 'the command of find may end earlier' };
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
  return { kind: 'commands', commands, own, place: nowhere, variables: [] };
}

/** `;`, or `+` right behind the placeholder; any other `+` is an argument like others. */
function endsCommand(args: readonly Argument[], at: number): boolean {
  const text = args[at]?.text;
  return text === ';' || (text === '+' && args[at - 1]?.text === '{}');
}

/** Versions of find differ on whether a `+` behind a word that holds more than the placeholder ends a command. */
function isDoubtful(inside: readonly Argument[]): boolean {
  return inside.some(({ text }, at) => text === '+' && inside[at - 1]?.text.includes('{}') === true);
}

/** The placeholder alone becomes a path; inside of a longer text it may become part of anything. */
function withFound(argument: Argument): Argument {
  if (argument.text === '{}') return FOUND;
  return argument.text.includes('{}') ? { text: argument.text, shape: 'any' } : argument;
}
