import type { Assignment, CommandClass } from './types.ts';

/** Variables that change how a program shows things, and not what it does. */
const HARMLESS =
  /^(LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CLICOLOR|CI|DEBIAN_FRONTEND|SYSTEMD_COLORS)$/;

/** Variables that decide which program runs, what it loads, or which machine, cluster or account it acts on. */
const DECIDING = [
  /^(PATH|IFS|ENV|BASH_ENV|BASH_FUNC.*|SHELL|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|CDPATH|FPATH|MODULE_PATH|(READ)?NULLCMD|BASH_.*|HOME|ZDOTDIR|TMPDIR)$/,
  /^(LD|DYLD|GIT|PYTHON|PERL5?|RUBY|NODE|NPM|JAVA|JDK|MAVEN|GRADLE|DOCKER|KUBE|HELM|TF|PG|MYSQL|AWS|SSH)_?[A-Z0-9_]*$/,
  /^(PYTHON|PERL5?|RUBY|NODE|PG|MYSQL)[A-Z0-9_]*$/,
  /(PAGER|EDITOR|VISUAL|BROWSER|ASKPASS|RSH|OPEN|OPTIONS|OPTS|PRELOAD|PLUGIN.*|KUBECONFIG)$/,
];

/** Whole numbers of some shell: what is given to them is evaluated as arithmetic, in which a name or a part of a list may run commands. */
const NUMBERS =
  /^(RANDOM|SRANDOM|SECONDS|EPOCH(SECONDS|REALTIME)|OPTIND|COLUMNS|LINES|LINENO|HIST(CMD|SIZE|FILESIZE)|SAVEHIST|SHLVL|PPID|E?[UG]ID|BASHPID|ERRNO|TMOUT|TTYIDLE|FUNCNEST|MAILCHECK|LOGCHECK|LISTMAX|KEYTIMEOUT|BAUD|DIRSTACKSIZE)$/;

/**
 * The class that setting a variable gives a command at least, whatever the command. A shell may evaluate a value later, where it looks for a
 * number or a name: one that could hold a command is as destructive as that.
 */
export function classOfVariable({ name, value }: Assignment): CommandClass {
  if (/[$`]/.test(value) || (NUMBERS.test(name) && !/^\d*$/.test(value))) return 'destructive';
  if (HARMLESS.test(name)) return 'read';
  return DECIDING.some((pattern) => pattern.test(name.toUpperCase())) ? 'destructive' : 'config-mutation';
}

const ASSIGNMENT = /^(?<name>[A-Za-z_][A-Za-z0-9_]*)\+?=(?<value>.*)$/s;

/** `NAME=value`; undefined where the text is no assignment. */
export function assignmentOf(text: string): Assignment | undefined {
  const { name, value } = ASSIGNMENT.exec(text)?.groups ?? {};
  return name === undefined || value === undefined ? undefined : { name, value };
}
