import { skipOptions } from './options.ts';
import type { Argument, CommandPlace } from './types.ts';
import type { Unwrapped } from './unwrapped.ts';

/** Letters that change no word of a script into another one. */
const SHELL_FLAGS = /^[euxvfnlpc]*$/;
const SHELL_WORDS: ReadonlySet<string> = new Set(['--login', '--norc', '--noprofile', '--posix']);
/** Settings of that kind by their names, which `-o` takes; others keep assignments among arguments, or expand more. */
const SHELL_SETTINGS: ReadonlySet<string> = new Set(
  'errexit nounset pipefail xtrace verbose noglob noclobber noexec posix'.split(' '),
);

/** What stands in front of the script. */
interface ShellOptions {
  /** Place of the first argument that is no option. */
  readonly at: number;
  readonly isScript: boolean;
}

/**
 * A shell goes on reading options behind `-c`. An `o` takes the next argument to some shells and the rest of its word to others, so
 * that it has to be the last of its letters. Undefined where one is not known, or begins with a plus.
 */
function shellOptions(args: readonly Argument[]): ShellOptions | undefined {
  let isScript = false;
  let at = 0;
  for (; at < args.length; at++) {
    const { text, shape } = args[at] as Argument;
    if (shape === 'any') return undefined;
    if (shape === 'path' || !/^[-+]/.test(text)) break;
    if (text === '--') return { at: at + 1, isScript };
    if (SHELL_WORDS.has(text)) continue;
    // To some shells a lone dash ends the options, and to others it is what they are given to read.
    const takesNext = text.endsWith('o');
    const letters = text.slice(1, takesNext ? -1 : undefined);
    if (!/^-./.test(text) || !SHELL_FLAGS.test(letters)) return undefined;
    if (letters.includes('c')) isScript = true;
    if (!takesNext) continue;
    const name = args[++at];
    if (name?.shape !== 'literal' || !SHELL_SETTINGS.has(name.text)) return undefined;
  }
  return { at, isScript };
}

/** `sh -c SCRIPT`; what a file or the standard input says is not known here. */
export function unwrapShell(args: readonly Argument[], place: CommandPlace): Unwrapped {
  const options = shellOptions(args);
  if (options === undefined) return { kind: 'undecided', reason: 'an option of the shell is not known' };
  if (!options.isScript) return { kind: 'undecided', reason: 'what the shell would run is not in the command' };
  return scriptOf(args[options.at], place);
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

/** `su USER -c SCRIPT`, options on either side of the user; the last script counts. */
export function unwrapSu(args: readonly Argument[], place: CommandPlace): Unwrapped {
  if (args.some(({ shape }) => shape !== 'literal')) {
    return { kind: 'undecided', reason: 'an argument may become an option, or another script' };
  }
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

const SECONDS = /^\d{1,6}(?:[.,]\d{1,6})?$/;

/** `watch COMMAND …`: its arguments are joined and given to a shell. */
export function unwrapShellWords(args: readonly Argument[], place: CommandPlace): Unwrapped {
  const flags = ['-d', '-t', '-b', '-e', '-g', '-c', '-p', '--no-title', '--differences', '--color'];
  const at = skipOptions(args, {
    flags,
    valued: ['-n', '--interval'],
    values: { '-n': SECONDS, '--interval': SECONDS },
  });
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
