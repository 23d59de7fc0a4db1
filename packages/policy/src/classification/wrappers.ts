import type { LeadingOptions } from './options.ts';

/** A program that runs the command behind its own options, as data. */
export interface WrapperSpec extends LeadingOptions {
  readonly names: readonly string[];
  /** `NAME=value` may stand in front of the command. */
  readonly assignments?: true;
  /** What an operand of its own in front of the command looks like, whole: anything else may be the command, where a version needs none. */
  readonly own?: RegExp;
  /** Options that move the working directory. */
  readonly moves?: readonly string[];
  /** The command is one of another root, of which only the name is known here. */
  readonly otherRoot?: true;
  /** Arguments that nobody knows yet are added at the end. */
  readonly appends?: true;
  /** Without a command it only reads. */
  readonly readsAlone?: true;
  /** What it needs then. */
  readonly needsAlone?: readonly string[];
  /** Options that name a file whose text becomes arguments. */
  readonly reads?: readonly string[];
}

const SUDO_FLAGS = [
  '-n',
  '-E',
  '-H',
  '-S',
  '-k',
  '-b',
  '-P',
  '-A',
  '--non-interactive',
  '--preserve-env',
  '--set-home',
];

const NUMBER = /^[-+]?\d{1,9}$/;
const SPAN = /^\d{1,9}(?:\.\d{1,9})?[smhd]?$/;
const SIGNAL = /^(?:\d{1,2}|(?:SIG)?[A-Z][A-Z0-9]{1,7}(?:[+-]\d{1,2})?)$/;
/** Of a user or a group, or its number. */
const NAME = /^#?\w[\w.-]*$/;
const BUFFER = /^(?:L|\d{1,9}[KMGTPEZY]?B?)$/;
/** Those of the same form, by their names. */
const having = (form: RegExp, options: string): Readonly<Record<string, RegExp>> =>
  Object.fromEntries(options.split(' ').map((option) => [option, form]));

/** Wrappers whose inside is an argument list; those with an inside of their own kind are in unwrap.ts. */
export const WRAPPERS: readonly WrapperSpec[] = [
  {
    names: ['sudo'],
    flags: [...SUDO_FLAGS, '--stdin', '--background'],
    valued: ['-u', '-g', '-p', '-C', '-r', '-t', '-T', '-D', '--user', '--group', '--prompt', '--chdir'],
    values: { ...having(NAME, '-u -g -r -t --user --group'), ...having(NUMBER, '-C'), ...having(SPAN, '-T') },
    moves: ['-D', '--chdir'],
    assignments: true,
  },
  { names: ['doas'], flags: ['-n'], valued: ['-u'], values: having(NAME, '-u') },
  {
    names: ['env'],
    flags: ['-i', '-0', '-v', '--ignore-environment', '--debug', '--null'],
    valued: ['-u', '-C', '--unset', '--chdir'],
    values: having(/^[A-Za-z_]\w*$/, '-u --unset'),
    moves: ['-C', '--chdir'],
    assignments: true,
    readsAlone: true,
    // It prints the variables of the node that pass to a command.
    needsAlone: ['inspect_status'],
  },
  {
    names: ['nice'],
    flags: ['-0', '-1', '-2', '-3', '-4', '-5', '-6', '-7', '-8', '-9'],
    valued: ['-n', '--adjustment'],
    values: having(NUMBER, '-n --adjustment'),
    readsAlone: true,
  },
  {
    names: ['ionice'],
    flags: ['-t', '--ignore'],
    valued: ['-c', '-n', '--class', '--classdata'],
    values: {
      ...having(/^(?:[0-3]|none|realtime|best-effort|idle)$/, '-c --class'),
      ...having(/^\d$/, '-n --classdata'),
    },
  },
  {
    names: ['timeout', 'gtimeout'],
    flags: ['-v', '--preserve-status', '--foreground', '--verbose'],
    valued: ['-s', '-k', '--signal', '--kill-after'],
    values: { ...having(SIGNAL, '-s --signal'), ...having(SPAN, '-k --kill-after') },
    own: SPAN,
  },
  {
    names: ['xargs'],
    flags: ['-0', '-r', '-t', '-x', '--null', '--no-run-if-empty', '--verbose', '--exit'],
    valued: ['-n', '-P', '-I', '-L', '-d', '-s', '-a', '-E', '--max-args', '--max-procs', '--delimiter', '--arg-file'],
    values: having(NUMBER, '-n -P -L -s --max-args --max-procs'),
    appends: true,
    readsAlone: true,
    reads: ['-a', '--arg-file'],
  },
  { names: ['nohup'], flags: [], valued: [] },
  { names: ['setsid'], flags: ['-c', '-f', '-w', '--ctty', '--fork', '--wait'], valued: [] },
  {
    names: ['stdbuf'],
    flags: [],
    valued: ['-i', '-o', '-e', '--input', '--output', '--error'],
    values: having(BUFFER, '-i -o -e --input --output --error'),
  },
  {
    names: ['time'],
    flags: ['-p', '-v', '--portability', '--verbose'],
    valued: ['-f', '--format'],
    values: having(/%/, '-f --format'),
  },
  // From 2.42 on the priority may be left out.
  { names: ['chrt'], flags: ['-b', '-f', '-i', '-o', '-r'], valued: [], own: /^\d{1,3}$/ },
  { names: ['taskset'], flags: [], valued: [], own: /^(?:0x)?[0-9a-fA-F]{1,64}$/ },
  { names: ['exec'], flags: ['-c', '-l'], valued: ['-a'] },
  { names: ['command', 'builtin'], flags: ['-p'], valued: [] },
  { names: ['busybox', 'toybox'], flags: [], valued: [], readsAlone: true },
  {
    names: ['chroot'],
    flags: ['--skip-chdir'],
    valued: ['--userspec', '--groups'],
    own: /^/,
    otherRoot: true,
  },
];
