import type { Assignment } from './types.ts';

/** Variables that change how a program shows things, and not what it does. */
const HARMLESS =
  /^(LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|CLICOLOR(_FORCE)?|CI|DEBUG|VERBOSE|DEBIAN_FRONTEND|SYSTEMD_COLORS|LS_COLORS|GREP_COLORS?|RUST_BACKTRACE|PYTHONUNBUFFERED)$/;
/** The same, and numbers of a shell: what else is given to them is evaluated as arithmetic, in which a part of a list may run commands. */
const NUMBERS = /^(COLUMNS|LINES)$/;
/** Words and no path: what a name of a language or of a terminal leads to is no file that somebody laid. */
const WORDS = /^[\w.,:;@=+* -]*$/;
/** A zone below the folder of the zones. */
const ZONE = /^[A-Za-z0-9][\w+-]*(\/[A-Za-z0-9][\w+-]*)*$/;

/**
 * True where setting a variable may decide what else runs, what is loaded, or where: every one that is not known to be about showing only.
 * INVARIANT: 1 names that nobody thought of are among those that need the shell.
 */
export function decidesWhatRuns({ name, value }: Assignment): boolean {
  if (NUMBERS.test(name)) return !/^\d*$/.test(value);
  if (name === 'TZ' && ZONE.test(value)) return false;
  return !(HARMLESS.test(name) && WORDS.test(value));
}

/** Variables that are known to decide which program runs, what it loads, or which machine, cluster or account it acts on. */
const DECIDING = [
  /^(PATH|IFS|ENV|SHELL.*|PS4|PROMPT_COMMAND|CDPATH|FPATH|MODULE_PATH|(READ)?NULLCMD|BASH.*|HOME|ZDOTDIR|TMPDIR)$/,
  /^(LD|DYLD|GIT|PYTHON|PERL5?|RUBY|NODE|NPM|JAVA|JDK|MAVEN|GRADLE|DOCKER|KUBE|HELM|TF|PG|MYSQL|AWS|SSH)[A-Z0-9_]*$/,
  /(PAGER|EDITOR|VISUAL|BROWSER|ASKPASS|RSH|OPEN|OPTIONS|OPTS|PRELOAD|PLUGIN.*|KUBECONFIG)$/,
];

/** True for a number behind a name that is not known to decide: it needs the shell, and makes no name mean another thing. */
export function isSwitch({ name, value }: Assignment): boolean {
  return /^\d+$/.test(value) && !DECIDING.some((pattern) => pattern.test(name.toUpperCase()));
}

const ASSIGNMENT = /^(?<name>[A-Za-z_][A-Za-z0-9_]*)\+?=(?<value>.*)$/s;

/** `NAME=value`; undefined where the text is no assignment. */
export function assignmentOf(text: string): Assignment | undefined {
  const { name, value } = ASSIGNMENT.exec(text)?.groups ?? {};
  return name === undefined || value === undefined ? undefined : { name, value };
}
