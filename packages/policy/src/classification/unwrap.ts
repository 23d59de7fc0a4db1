import { assignmentOf } from './environment.ts';
import { skipOptions } from './options.ts';
import type { Argument, Assignment, CommandPlace } from './types.ts';
import { unwrapFind } from './unwrap-find.ts';
import { unwrapOtherShell, unwrapShell, unwrapShellWords, unwrapSu } from './unwrap-shell.ts';
import { unwrapSsh } from './unwrap-ssh.ts';
import type { Unwrapped } from './unwrapped.ts';
import { WRAPPERS, type WrapperSpec } from './wrappers.ts';

type Unwrap = (args: readonly Argument[], place: CommandPlace) => Unwrapped;

const SHELLS = ['sh', 'bash', 'dash', 'ash'];
/** Shells of which the grammar knows only what all have in common. */
const OTHER_SHELLS = ['zsh', 'ksh', 'mksh'];

const BY_NAME: ReadonlyMap<string, Unwrap> = new Map<string, Unwrap>([
  ...WRAPPERS.flatMap((spec) => spec.names.map((name): [string, Unwrap] => [name, (a, p) => unwrapWith(spec, a, p)])),
  ...SHELLS.map((name): [string, Unwrap] => [name, unwrapShell]),
  ...OTHER_SHELLS.map((name): [string, Unwrap] => [name, unwrapOtherShell]),
  ['su', unwrapSu],
  ['runuser', unwrapSu],
  ['watch', unwrapShellWords],
  ['ssh', unwrapSsh],
  ['find', unwrapFind],
  ['gfind', unwrapFind],
]);

/** Whether a program (lower case, without its folder) runs what stands in its arguments. */
export function isWrapper(program: string): boolean {
  return BY_NAME.has(program);
}

const SAYS = ['--version', '--help'];
/** Programs that only say what they are where one of these is all that they are given. Some that run commands take it for one. */
const ANSWERS: ReadonlyMap<string, readonly string[]> = new Map([
  ...[
    'env',
    'nice',
    'ionice',
    'timeout',
    'gtimeout',
    'xargs',
    'stdbuf',
    'taskset',
    'watch',
    'find',
    'gfind',
    'bash',
  ].map((name) => [name, SAYS] as const),
  ['sudo', [...SAYS, '-V', '-h']],
  ['zsh', ['--version']],
  ['ssh', ['-V']],
]);
/** Which program a shell would start; it starts none. */
const ASKS_FOR = /^\n-[vV](?:\n\w[\w.+-]*)+$/;

function isAnswer(program: string, args: readonly Argument[]): boolean {
  const [only, ...more] = args;
  return only?.shape === 'literal' && more.length === 0 && ANSWERS.get(program)?.includes(only.text) === true;
}

/** Takes one wrapper off. `program` is the name of the program, without its folder. */
export function unwrap(program: string, args: readonly Argument[], place: CommandPlace): Unwrapped {
  if (isAnswer(program, args)) return { kind: 'nothing', needs: [] };
  const written = args.map(({ text, shape }) => `\n${shape === 'literal' ? text : '…'}`).join('');
  if (program === 'command' && ASKS_FOR.test(written)) return { kind: 'nothing', needs: ['read_files'] };
  return BY_NAME.get(program)?.(args, place) ?? { kind: 'plain' };
}

function unwrapWith(spec: WrapperSpec, args: readonly Argument[], place: CommandPlace): Unwrapped {
  let moves = false;
  let replaced: string | undefined;
  const needs: string[] = [];
  const start = skipOptions(args, spec, (name, value) => {
    if (spec.moves?.includes(name)) moves = true;
    if (spec.appends && name === '-I') replaced = value;
    // INVARIANT: 1 a file that is read needs the capability for that, whatever reads it.
    if (spec.reads?.includes(name)) needs.push('read_files');
  });
  if (start === undefined) return { kind: 'undecided', reason: 'an option in front of the command is not known' };
  let at = start + (spec.own ? 1 : 0);
  const own = args.slice(start, at);
  // Of several the last would be the command. INVARIANT: 5 what may be the program itself is no operand of what runs it.
  if (own.some(({ shape, text }) => shape !== 'literal' || spec.own?.test(text) === false)) {
    return { kind: 'undecided', reason: 'where the command begins cannot be told' };
  }
  const variables: Assignment[] = [];
  while (spec.assignments && at < args.length) {
    const assignment = assignmentOf(args[at]);
    if (assignment === undefined) break;
    variables.push(assignment);
    at++;
  }
  const inside = args.slice(at);
  if (spec.otherRoot) return { kind: 'undecided', reason: 'what runs is a program of another root' };
  if (inside.length === 0) {
    return spec.readsAlone
      ? { kind: 'nothing', needs: [...needs, ...(spec.needsAlone ?? [])] }
      : { kind: 'undecided', reason: 'it names no command' };
  }
  const commands = [spec.appends ? [...inside.map((argument) => withUnknown(argument, replaced)), UNKNOWN] : inside];
  return { kind: 'commands', commands, place: moves ? moved(place) : place, variables, needs };
}

/** What `xargs` appends. */
const UNKNOWN: Argument = { text: '…', shape: 'any' };

/** `xargs -I TEXT`: whatever comes in stands wherever the text stood. */
function withUnknown(argument: Argument, replaced: string | undefined): Argument {
  return replaced !== undefined && argument.text.includes(replaced) ? { ...argument, shape: 'any' } : argument;
}

function moved({ host, workspace }: CommandPlace): CommandPlace {
  return { host, ...(workspace === undefined ? {} : { workspace }) };
}
