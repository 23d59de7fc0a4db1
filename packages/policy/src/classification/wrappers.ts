import type { LeadingOptions } from './options.ts';

/** A program that runs the command behind its own options, as data. */
export interface WrapperSpec extends LeadingOptions {
  readonly names: readonly string[];
  /** `NAME=value` may stand in front of the command. */
  readonly assignments?: true;
  /** Operands of its own in front of the command. */
  readonly own?: number;
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

/** Wrappers whose inside is an argument list; those with an inside of their own kind are in unwrap.ts. */
export const WRAPPERS: readonly WrapperSpec[] = [
  {
    names: ['sudo'],
    flags: [...SUDO_FLAGS, '--stdin', '--background'],
    valued: ['-u', '-g', '-p', '-C', '-r', '-t', '-T', '-D', '--user', '--group', '--prompt', '--chdir'],
    moves: ['-D', '--chdir'],
    assignments: true,
  },
  { names: ['doas'], flags: ['-n'], valued: ['-u'] },
  {
    names: ['env'],
    flags: ['-i', '-0', '-v', '--ignore-environment', '--debug', '--null'],
    valued: ['-u', '-C', '--unset', '--chdir'],
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
    readsAlone: true,
  },
  { names: ['ionice'], flags: ['-t', '--ignore'], valued: ['-c', '-n', '--class', '--classdata'] },
  {
    names: ['timeout', 'gtimeout'],
    flags: ['-v', '--preserve-status', '--foreground', '--verbose'],
    valued: ['-s', '-k', '--signal', '--kill-after'],
    own: 1,
  },
  {
    names: ['xargs'],
    flags: ['-0', '-r', '-t', '-x', '--null', '--no-run-if-empty', '--verbose', '--exit'],
    valued: ['-n', '-P', '-I', '-L', '-d', '-s', '-a', '-E', '--max-args', '--max-procs', '--delimiter', '--arg-file'],
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
  },
  { names: ['time'], flags: ['-p', '-v', '--portability', '--verbose'], valued: ['-f', '--format'] },
  { names: ['chrt'], flags: ['-b', '-f', '-i', '-o', '-r'], valued: [], own: 1 },
  { names: ['taskset'], flags: [], valued: [], own: 1 },
  { names: ['exec'], flags: ['-c', '-l'], valued: ['-a'] },
  { names: ['command', 'builtin'], flags: ['-p'], valued: [] },
  { names: ['busybox', 'toybox'], flags: [], valued: [], readsAlone: true },
  {
    names: ['chroot'],
    flags: ['--skip-chdir'],
    valued: ['--userspec', '--groups'],
    own: 1,
    otherRoot: true,
  },
];
