import type { AloneCall } from './alone-table.ts';

/** One name of a file or a folder, and a mode or an owner in front of such names. */
const FILES = ['touch', 'mkdir', 'cp', 'mv', 'ln', 'chmod', 'chown', 'chgrp', 'tee', 'truncate'];
const PACKAGES = ['apt', 'apt-get', 'dnf', 'yum', 'zypper', 'apk', 'pacman', 'brew', 'snap', 'flatpak'];

/**
 * Every change that an assent window covers besides its listed steps. A window is one yes to much that nobody has seen yet: what
 * it lets run is what cannot be turned into something else by an option, a file of the folder or a file that is named. What is not
 * here is asked about by itself, or is a step of a plan.
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
      'daemon-reload',
    ],
    flags: /^(--now|--no-block|--no-pager|-q|--quiet)$/,
    operands: 'names',
  },
  { programs: ['service', 'rc-service'], operands: 'names' },
  {
    programs: ['docker', 'podman'],
    words: ['start', 'stop', 'restart', 'pause', 'unpause', 'pull'],
    flags: /^(-q|--quiet)$/,
    operands: 'names',
  },
  {
    programs: PACKAGES,
    words: ['install', 'add', 'update', 'upgrade', 'refresh'],
    flags: /^(-y|--yes|--assume-yes|-q|--quiet|--no-install-recommends|--noconfirm)$/,
    operands: 'names',
  },
  {
    programs: ['kubectl'],
    words: ['scale', 'cordon', 'uncordon'],
    flags: /^--replicas=\d{1,4}$/,
    valued: { '-n': /^[a-z0-9-]+$/, '--namespace': /^[a-z0-9-]+$/ },
    operands: 'names',
  },
  { programs: FILES, flags: /^-[pavrRnsd]+$/, operands: 'paths' },
];
