import type { ListedCall } from './listed-call.ts';

/** What copies, moves or links writes through links of its destination; a mode or an owner says who else may run or write. */
const FILES = ['touch', 'mkdir'];
const APT = ['apt', 'apt-get'];
const PACKAGES = ['dnf', 'yum', 'zypper', 'apk', 'pacman', 'brew', 'snap', 'flatpak'];

/**
 * Every change that an assent window covers besides its listed steps. A window is one yes to much that nobody has seen yet: what
 * it lets run is what cannot be turned into something else by an option, a file of the folder or a file that is named. What is not
 * here is asked about by itself, or is a step of a plan. Paths are covered in the workspace that was asked for, and nowhere else, and a
 * service, a package or a container where the plan named this very one: both are for the caller to see.
 */
export const COVERED: readonly ListedCall[] = [
  {
    programs: ['systemctl'],
    words: [
      ...[
        'start',
        'stop',
        'restart',
        'reload',
        'try-restart',
        'reload-or-restart',
        'enable',
        'disable',
        'reset-failed',
      ],
    ],
    flags: /^(--now|--no-block|--no-pager|-q|--quiet)$/,
    operands: 'services',
  },
  { programs: ['systemctl'], words: ['daemon-reload'], operands: 'none' },
  { programs: ['service', 'rc-service'], operands: 'services' },
  {
    programs: ['docker', 'podman'],
    words: ['start', 'stop', 'restart', 'pause', 'unpause'],
    operands: 'names',
  },
  {
    programs: PACKAGES,
    words: ['install', 'add'],
    flags: /^(-y|--yes|--assume-yes|-q|--quiet|--no-install-recommends|--noconfirm)$/,
    operands: 'packages',
  },
  {
    programs: APT,
    words: ['install'],
    flags: /^(-y|--yes|--assume-yes|-q|--quiet|--no-install-recommends)$/,
    operands: 'plain-packages',
  },
  { programs: ['apt', 'apt-get', 'apk', 'brew'], words: ['update'], flags: /^(-q|--quiet)$/, operands: 'none' },
  { programs: FILES, flags: /^-[pv]+$/, operands: 'paths' },
];

const CLUSTER_NAME = /^[A-Za-z0-9][A-Za-z0-9._@:-]*$/;

/**
 * Every removal that a destructive window covers, of the one thing that it was opened for. A program that acts on that thing may be
 * made to act on another as well, or to run a third one: what is not here is asked about each time.
 */
export const REMOVALS: readonly ListedCall[] = [
  { programs: ['rm'], flags: /^(-[rRfvd]+|--recursive|--force|--verbose|--dir)$/, operands: 'paths' },
  { programs: ['rmdir', 'unlink'], flags: /^(-v|--verbose)$/, operands: 'paths' },
  { programs: ['truncate'], valued: { '-s': /^\d{1,15}$/ }, flags: /^-(c|s\d{1,15})$/, operands: 'paths' },
  {
    programs: ['docker', 'podman'],
    words: ['rm', 'kill'],
    flags: /^(-f|-v|-fv|-vf|--force|--volumes)$/,
    operands: 'names',
  },
  {
    programs: ['kubectl', 'oc'],
    words: ['delete'],
    valued: { '--context': CLUSTER_NAME, '--namespace': CLUSTER_NAME, '-n': CLUSTER_NAME },
    flags: /^--(context|namespace)=[A-Za-z0-9][A-Za-z0-9._@:-]*$/,
    operands: 'names',
  },
  {
    programs: PACKAGES,
    words: ['remove', 'purge', 'uninstall', 'del'],
    flags: /^(-y|--yes|--assume-yes|-q|--quiet|--noconfirm)$/,
    operands: 'packages',
  },
  {
    programs: APT,
    words: ['remove', 'purge'],
    flags: /^(-y|--yes|--assume-yes|-q|--quiet)$/,
    operands: 'plain-packages',
  },
];
