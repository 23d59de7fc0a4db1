import type { Assignment } from './types.ts';

/** A language as it is named: what the name leads to is no file that somebody laid. */
const LANGUAGE = /^(?:C|POSIX|[a-z]{2,3}(?:_[A-Z]{2})?)?(?:\.[A-Za-z0-9-]+)?(?:@[a-z]+)?$/;
const SWITCH = /^(?:\d{0,3}|true|false|yes|no|on|off|always|never|auto)$/i;
const COLOURS = /^[\w.,:;=+*-]*$/;
/**
 * Variables that change how a program shows things, and not what it does, and what is given to them, whole: each is read in a way of its own,
 * and some are evaluated.
 */
const HARMLESS: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:LANG|LC_[A-Z]+)$/, LANGUAGE],
  [/^LANGUAGE$/, /^(?:[a-z]{2,3}(?:_[A-Z]{2})?(?::[a-z]{2,3}(?:_[A-Z]{2})?)*)?$/],
  // A zone below the folder of the zones.
  [/^TZ$/, /^(?:[A-Za-z0-9][\w+-]*(?:\/[A-Za-z0-9][\w+-]*)*)?$/],
  [/^TERM$/, /^(?:[a-z][a-z0-9]*(?:[-+][a-z0-9]+)*)?$/],
  [/^COLORTERM$/, /^[a-z0-9]*$/],
  [/^(?:NO_COLOR|FORCE_COLOR|CLICOLOR(?:_FORCE)?|CI|VERBOSE|SYSTEMD_COLORS|PYTHONUNBUFFERED)$/, SWITCH],
  [/^RUST_BACKTRACE$/, /^(?:\d|full)?$/],
  [/^DEBUG$/, /^[\w*-]*(?:[:,][\w*-]+)*$/],
  // Perl, as far as its reader is concerned.
  [/^DEBIAN_FRONTEND$/, /^(?:noninteractive|readline|dialog|text|teletype|gnome|kde|passthrough)$/],
  [/^(?:LS_COLORS|GREP_COLORS?)$/, COLOURS],
  // What else is given to these is evaluated as arithmetic by a shell, in which a part of a list may run commands.
  [/^(?:COLUMNS|LINES)$/, /^\d*$/],
];

/**
 * True where setting a variable may decide what else runs, what is loaded, or where: every one that is not known to be about showing only.
 * INVARIANT: 1 names that nobody thought of are among those that need the shell.
 */
export function decidesWhatRuns({ name, value }: Assignment): boolean {
  return !HARMLESS.some(([names, values]) => names.test(name) && values.test(value));
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
