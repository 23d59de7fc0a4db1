import type { CommandClass } from './types.ts';

/** Variables that change how a program shows things, and not what it does. */
const HARMLESS =
  /^(LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CLICOLOR|CI|DEBIAN_FRONTEND|SYSTEMD_COLORS)$/;

/** Variables that decide which program runs, what it loads, or which machine, cluster or account it acts on. */
const DECIDING = [
  /^(PATH|IFS|ENV|BASH_ENV|BASH_FUNC.*|SHELL|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|CDPATH|HOME|ZDOTDIR|TMPDIR)$/,
  /^(LD|DYLD|GIT|PYTHON|PERL5?|RUBY|NODE|NPM|JAVA|JDK|MAVEN|GRADLE|DOCKER|KUBE|HELM|TF|PG|MYSQL|AWS|SSH)_?[A-Z0-9_]*$/,
  /^(PYTHON|PERL5?|RUBY|NODE|PG|MYSQL)[A-Z0-9_]*$/,
  /(PAGER|EDITOR|VISUAL|BROWSER|ASKPASS|RSH|OPEN|OPTIONS|OPTS|PRELOAD|PLUGIN.*|KUBECONFIG)$/,
];

/** The class that setting a variable gives a command at least, whatever the command. */
export function classOfVariable(name: string): CommandClass {
  if (HARMLESS.test(name)) return 'read';
  return DECIDING.some((pattern) => pattern.test(name.toUpperCase())) ? 'destructive' : 'config-mutation';
}

const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)\+?=/;

/** Name in `NAME=value`; undefined where the text is no assignment. */
export function assignedName(text: string): string | undefined {
  return ASSIGNMENT.exec(text)?.[1];
}
