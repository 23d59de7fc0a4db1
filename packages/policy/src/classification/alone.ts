import { posix } from 'node:path';
import { ALONE } from './alone-table.ts';
import { COVERED, REMOVALS } from './covered-table.ts';
import { type ListedCall, operandsOf, pathsOf } from './listed-call.ts';
import type { Classification } from './types.ts';

/** Most paths of one command that are looked up where they lead, while everybody waits; one that names more is for a person. */
export const MOST_PATHS = 64;

/** What a command reads that may run without a person, as its arguments say. */
export interface ReadsAlone {
  /** Absolute paths, as they are written: whether they may be read, and where links lead, is for the caller to see. */
  readonly paths: readonly string[];
  /** Whether it obeys the configuration of the repository in its working directory. */
  readonly repository: boolean;
}

/**
 * Whether a command of class `read` can do nothing but read what its rule is about, whatever it finds: then it needs no person.
 * Undefined: somebody has to look first. A rule of the configuration is the owner's own word.
 * INVARIANT: 5 what runs without an answer is what could not be turned into something else.
 */
export function readsAlone(
  classification: Classification,
  argv: readonly string[],
  cwd: string,
): ReadsAlone | undefined {
  return classification.class === 'read' ? callOf(ALONE, classification, argv, cwd) : undefined;
}

/**
 * Whether a change is one that an assent window covers without its being a listed step, and which paths it names; where it is about
 * something else, that is its one target, and the window's plan has to name the same. Undefined: it is asked about by itself.
 * INVARIANT: 6 a window covers what could not be turned into something else.
 */
export function changesCovered(
  classification: Classification,
  argv: readonly string[],
  cwd: string,
): Pick<ReadsAlone, 'paths'> | undefined {
  return classification.class === 'config-mutation' ? callOf(COVERED, classification, argv, cwd) : undefined;
}

/**
 * Whether a removal is one that a destructive window for its target covers.
 * INVARIANT: 6 a window for one thing runs nothing that touches another.
 */
export function removalCovered(classification: Classification, argv: readonly string[], cwd: string): boolean {
  const { class: is, target } = classification;
  return is === 'destructive' && target !== undefined && callOf(REMOVALS, classification, argv, cwd) !== undefined;
}

/** What `changesCovered` holds for, for people: programs, and behind them the words that they may be given. */
export function coveredChanges(): string {
  const written = COVERED.map(({ programs, words, operands }) => {
    const verbs = words === undefined ? '' : ` ${words.join('|')}`;
    return `${programs.join('|')}${verbs}${operands === 'paths' ? ' in the workspace that was asked for' : ''}`;
  });
  return [...written, 'what a rule of [[commands]] calls so'].join('; ');
}

/**
 * Whether an argument list is one command itself, and holds none that has to be found in it. A wrapper runs it as somebody else,
 * elsewhere, or in another environment; what a script does is for whoever reads it as its shell will.
 */
function isWrittenOut({ commands }: Pick<Classification, 'commands'>, argv: readonly string[]): boolean {
  const [command, ...more] = commands;
  return more.length === 0 && JSON.stringify(command?.argv) === JSON.stringify(argv);
}

function callOf(
  table: readonly ListedCall[],
  classification: Classification,
  argv: readonly string[],
  cwd: string,
): ReadsAlone | undefined {
  if (!isWrittenOut(classification, argv)) return undefined;
  if (classification.rule.startsWith('commands[')) return { paths: [], repository: false };
  const [program = '', ...args] = argv;
  for (const call of table) {
    if (!call.programs.includes(program)) continue;
    const operands = operandsOf(call, args);
    const paths = operands && namesOneTarget(call, operands, classification) ? pathsOf(call, operands) : undefined;
    if (paths) return { paths: paths.map((path) => absolute(cwd, path)), repository: call.repository === true };
  }
  return undefined;
}

/** No look has a target; a change that names several things, or one that nobody can tell from others, is no window's. */
function namesOneTarget(call: ListedCall, operands: readonly string[], { class: is, target }: Classification): boolean {
  return is === 'read' || call.operands === 'paths' || operands.length === 0 || target !== undefined;
}

/** A `..` stays: the system follows the links in front of it first, and so has whoever looks. */
function absolute(cwd: string, path: string): string {
  if (!path.split('/').includes('..')) return posix.resolve(cwd, path);
  return path.startsWith('/') ? path : `${cwd}/${path}`;
}
