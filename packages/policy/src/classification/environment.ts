import type { Argument, Assignment } from './types.ts';

const LANGUAGE = '(?:C|POSIX|[a-z]{2,3}(?:_[A-Z]{2})?)(?:\\.[A-Za-z0-9-]+)?(?:@[a-z]+)?';
const COLORS = /^[\w.=;:*+-]*$/;
/**
 * Variables that change how a program shows things and not what it does, each with the values that it is known to have: what another one
 * means is up to whoever reads it, and some evaluate it.
 */
const HARMLESS: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:LANG|LANGUAGE|LC_[A-Z]+)$/, new RegExp(`^(?:${LANGUAGE}(?::${LANGUAGE})*)?$`)],
  // A zone below the folder of the zones.
  [/^TZ$/, /^[A-Za-z0-9][\w+-]*(?:\/[A-Za-z0-9][\w+-]*)*$/],
  [/^(?:TERM|COLORTERM)$/, /^[\w.+-]*$/],
  [/^(?:NO_COLOR|FORCE_COLOR|CLICOLOR(?:_FORCE)?|SYSTEMD_COLORS|CI|VERBOSE|RUST_BACKTRACE|PYTHONUNBUFFERED)$/, /^\w*$/],
  [/^DEBUG$/, /^[\w:*,-]*$/],
  // debconf evaluates it.
  [/^DEBIAN_FRONTEND$/, /^(?:noninteractive|readline|dialog|text|teletype)$/],
  [/^(?:LS_COLORS|GREP_COLORS?)$/, COLORS],
  // A shell evaluates what is given to them as arithmetic, in which a part of a list may run commands.
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

/** `NAME=value`; undefined where the argument is no assignment, or only may be one. */
export function assignmentOf(argument: Argument | undefined): Assignment | undefined {
  const text = argument?.shape === 'literal' ? argument.text : '';
  const { name, value } = ASSIGNMENT.exec(text)?.groups ?? {};
  return name === undefined || value === undefined ? undefined : { name, value };
}
