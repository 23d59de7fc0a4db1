import type { Argument, CommandPlace } from './types.ts';
import type { Unwrapped } from './unwrapped.ts';

const RUNS: ReadonlySet<string> = new Set(['-exec', '-execdir', '-ok', '-okdir']);
/** Found paths: each begins with where the search began, or with `./`. */
const FOUND: Argument = { text: '{}', shape: 'path' };

/** `find … -exec COMMAND … ;`. What find does itself is for its rules. */
export function unwrapFind(args: readonly Argument[], place: CommandPlace): Unwrapped {
  const commands: (readonly Argument[])[] = [];
  const own: Argument[] = [];
  const within = whereOf(args);
  for (let at = 0; at < args.length; at++) {
    const argument = args[at] as Argument;
    if (!RUNS.has(argument.text)) {
      own.push(argument);
      continue;
    }
    const end = endOf(args, at);
    if (end < 0) return { kind: 'undecided', reason: 'the command of find has no end' };
    if (isDoubtful(args.slice(at, end))) return { kind: 'undecided', reason: 'the command of find may end earlier' };
    const one: Pick<Argument, 'isOne'> = args[end]?.text === ';' ? { isOne: true } : {};
    // One argument for all of its placeholders: what is said of one is said of each.
    const found: Argument = { ...FOUND, ...one, ...within };
    const inside = args.slice(at + 1, end).map((word) => withFound(word, found));
    if (inside.length === 0 || inside[0]?.shape !== 'literal') {
      return { kind: 'undecided', reason: 'the command of find cannot be told' };
    }
    commands.push(inside);
    at = end;
  }
  if (commands.length === 0) return { kind: 'plain' };
  return { kind: 'commands', commands, own, place: placeOf(args, place), variables: [] };
}

/** A command runs where find does, or in the folder of what was found, which is any. */
function placeOf(args: readonly Argument[], { host, cwd, workspace }: CommandPlace): CommandPlace {
  const isMoved = cwd === undefined || args.some(({ text }) => text === '-execdir' || text === '-okdir');
  return { host, ...(isMoved ? {} : { near: [cwd] }), ...(workspace === undefined ? {} : { workspace }) };
}

/** Most places in which a search is known to begin, and their characters together: each is looked at for each command that runs. */
const MOST_PLACES = 32;
const MOST_CHARACTERS = 4096;

/** Where the search begins, as long as it follows no links and all of that is written out. */
function whereOf(args: readonly Argument[]): Pick<Argument, 'within'> {
  const end = args.findIndex(({ text }) => /^[-(!,)]/.test(text));
  const roots = args.slice(0, end < 0 ? args.length : end);
  const length = roots.reduce((sum, { text }) => sum + text.length, 0);
  if (roots.length > MOST_PLACES || length > MOST_CHARACTERS) return {};
  const isKnown = roots.every(({ shape }) => shape === 'literal') && !args.some(({ text }) => LINKS.test(text));
  return isKnown ? { within: roots.length === 0 ? ['.'] : roots.map(({ text }) => text) } : {};
}

/** Links are followed, `--` or letters that another find knows stand in front of the places, or a file names those. */
const LINKS = /^-(?:[HLPDEXdfsx]+|-|O\d*|follow|files0-from)$/;

function endOf(args: readonly Argument[], from: number): number {
  for (let at = from + 1; at < args.length; at++) if (endsCommand(args, at)) return at;
  return -1;
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
function withFound(argument: Argument, found: Argument): Argument {
  if (argument.text === '{}') return found;
  return argument.text.includes('{}') ? { text: argument.text, shape: 'any' } : argument;
}
