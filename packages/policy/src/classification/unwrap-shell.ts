import { skipOptions } from './options.ts';
import type { Argument, CommandPlace } from './types.ts';
import type { Unwrapped } from './unwrapped.ts';

const SHELL_FLAGS = [
  '-e',
  '-u',
  '-x',
  '-v',
  '-f',
  '-n',
  '-l',
  '-p',
  '-c',
  '--login',
  '--norc',
  '--noprofile',
  '--posix',
];

/** `sh -c SCRIPT`; what a file or the standard input says is not known here. */
export function unwrapShell(args: readonly Argument[], place: CommandPlace): Unwrapped {
  let isScript = false;
  const at = skipOptions(args, { flags: SHELL_FLAGS, valued: ['-o'] }, (name) => {
    if (name === '-c') isScript = true;
  });
  if (at === undefined) return { kind: 'undecided', reason: 'an option of the shell is not known' };
  if (!isScript) return { kind: 'undecided', reason: 'what the shell would run is not in the command' };
  return scriptOf(args[at], place);
}

/** Names, paths, numbers and options, in lists and pipes: no shell makes anything else of them. */
const PLAIN_SCRIPT = /^(?:[\w \n./:@,%+&|;-]|(?<=\w)=)*$/;

/**
 * A shell that finds more in a text than the grammar does: patterns that run what they hold (`*(e:…:)`), numbers and names that are
 * evaluated, programs behind `=`. Only what is plain is looked into.
 */
export function unwrapOtherShell(args: readonly Argument[], place: CommandPlace): Unwrapped {
  const inside = unwrapShell(args, place);
  if (inside.kind !== 'script' || PLAIN_SCRIPT.test(inside.script)) return inside;
  return { kind: 'undecided', reason: 'this shell may read the script in another way' };
}

/** `su USER -c SCRIPT`. */
export function unwrapSu(args: readonly Argument[], place: CommandPlace): Unwrapped {
  let script: Argument | undefined;
  for (let at = 0; at < args.length; at++) {
    const text = args[at]?.text ?? '';
    if (text === '-c' || text === '--command') script = args[++at];
    else if (text === '-u') at++;
    else if (text.startsWith('-') && !['-', '-l', '-m', '-p', '--login'].includes(text)) {
      return { kind: 'undecided', reason: 'an option in front of the command is not known' };
    }
  }
  return scriptOf(script, withoutFolder(place));
}

/** `watch COMMAND …`: its arguments are joined and given to a shell. */
export function unwrapShellWords(args: readonly Argument[], place: CommandPlace): Unwrapped {
  const flags = ['-d', '-t', '-b', '-e', '-g', '-c', '-p', '--no-title', '--differences', '--color'];
  const at = skipOptions(args, { flags, valued: ['-n', '--interval'] });
  if (at === undefined) return { kind: 'undecided', reason: 'an option in front of the command is not known' };
  return joined(args.slice(at), place);
}

/** Arguments that a shell reads as one text, joined by spaces. */
export function joined(args: readonly Argument[], place: CommandPlace): Unwrapped {
  if (args.length === 0) return { kind: 'undecided', reason: 'it names no command' };
  if (args.some(({ shape }) => shape !== 'literal')) {
    return { kind: 'undecided', reason: 'a pattern would become part of a script' };
  }
  return { kind: 'script', script: args.map(({ text }) => text).join(' '), place };
}

function scriptOf(script: Argument | undefined, place: CommandPlace): Unwrapped {
  if (script?.shape !== 'literal')
    return { kind: 'undecided', reason: 'what the shell would run is not in the command' };
  return { kind: 'script', script: script.text, place };
}

function withoutFolder({ host, workspace }: CommandPlace): CommandPlace {
  return { host, ...(workspace === undefined ? {} : { workspace }) };
}
