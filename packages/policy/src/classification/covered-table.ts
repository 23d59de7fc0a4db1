import type { AloneCall } from './alone-table.ts';

/** What copies, moves or links writes through links of its destination; a mode or an owner says who else may run or write. */
const FILES = ['touch', 'mkdir'];
const PACKAGES = ['apt', 'apt-get', 'dnf', 'yum', 'zypper', 'apk', 'pacman', 'brew', 'snap', 'flatpak'];

/**
 * Every change that an assent window covers besides its listed steps. A window is one yes to much that nobody has seen yet: what
 * it lets run is what cannot be turned into something else by an option, a file of the folder or a file that is named. What is not
 * here is asked about by itself, or is a step of a plan. Paths are covered in the workspace that was asked for, and nowhere else, and a
 * service, a package or a container where the plan named this very one: both are for the caller to see.
 */
export const COVERED: readonly AloneCall[] = [
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
  { programs: ['apt', 'apt-get', 'apk', 'brew'], words: ['update'], flags: /^(-q|--quiet)$/, operands: 'none' },
  { programs: FILES, flags: /^-[pv]+$/, operands: 'paths' },
];
