import type { RulePack } from '../types.ts';
import { GUARDING_UNIT, OPENING_UNIT, SYSTEM_UNIT } from '../units.ts';
import { optionNames, SAYS, wordList } from './option-names.ts';

const START_WORDS = ['start', 'restart', 'reload', 'try-restart', 'force-reload'];
/** What may start a unit, now or later. */
const STARTS = ['start', 'restart', 'reload', 'try-restart', 'reload-or-restart', 'enable', 'reenable', 'unmask'];
/** What ends a unit, or keeps it from starting. */
const STOPS = ['stop', 'disable', 'mask'];
/** A name that is written out: systemctl finds every unit that a pattern fits. A unit that a path names says what runs. */
const PLAIN_UNIT = /^[^/*?[]*$/;

/** Services and the units that hold them. */
export const servicesPack: RulePack = {
  topic: 'services',
  programs: [
    {
      names: ['systemctl'],
      valued: optionNames(
        'tpPnos',
        '--type --property --lines --output --state --signal --job-mode --kill-whom --kill-who --what',
      ),
      flags: optionNames(
        'lafqri',
        '--no-pager --user --system --full --all --quiet --now --force --no-block --failed --no-legend --plain --value --runtime --no-reload --no-ask-password --no-wall --wait --recursive --reverse --after --before --show-types --dry-run',
      ),
      elsewhere: ['--user'],
      answers: [...SAYS, '-h'],
    },
    { names: ['service', 'rc-service'], answers: [...SAYS, '-h'] },
    { names: ['initctl', 'launchctl', 'sv', 'supervisorctl'] },
  ],
  rules: [
    {
      name: 'services.status',
      programs: ['systemctl'],
      words: [
        wordList(
          'status show cat list-units list-unit-files list-timers list-sockets list-jobs list-dependencies is-active is-enabled is-failed get-default help is-system-running',
        ),
      ],
      class: 'read',
      needs: ['inspect_status'],
      examples: [
        ['systemctl', 'status', 'nginx'],
        ['systemctl', '--no-pager', 'list-units'],
        ['systemctl', 'is-active', 'x'],
      ],
      notExamples: [
        ['systemctl', 'restart', 'nginx'],
        ['systemctl', '--odd', 'status', 'restart'],
        ['systemctl', '-P', 'status', 'stop', 'nginx'],
      ],
    },
    {
      name: 'services.list',
      programs: ['systemctl'],
      most: 0,
      class: 'read',
      needs: ['inspect_status'],
      examples: [['systemctl'], ['systemctl', '--failed']],
      notExamples: [['systemctl', 'stop', 'x']],
    },
    {
      name: 'services.run',
      programs: ['systemctl'],
      words: [[...STARTS, ...STOPS, 'reset-failed']],
      plainOperands: PLAIN_UNIT,
      class: 'config-mutation',
      needs: ['manage_services'],
      target: { kind: 'service', from: 1 },
      examples: [
        ['systemctl', 'restart', 'nginx'],
        ['systemctl', 'reload', 'nginx.service'],
        ['systemctl', 'stop', 'x'],
        ['systemctl', 'enable', '--now', './x.service'],
      ],
      notExamples: [
        ['systemctl', 'status', 'nginx'],
        ['systemctl', 'kill', 'x'],
      ],
    },
    {
      name: 'services.opening-unit',
      programs: ['systemctl'],
      words: [[...STARTS, 'add-wants', 'add-requires']],
      operand: OPENING_UNIT,
      class: 'destructive',
      needs: ['destructive', 'manage_services'],
      examples: [
        ['systemctl', 'start', 'poweroff.target'],
        ['systemctl', 'enable', '--now', 'x', 'rescue.target'],
        ['systemctl', 'restart', 'nginx', 'debug-shell'],
        ['systemctl', 'start', 'autovt@tty9'],
      ],
      notExamples: [
        ['systemctl', 'start', 'reboot-notifier.service'],
        ['systemctl', 'start', 'nginx'],
        ['systemctl', 'status', 'reboot.target'],
        ['systemctl', 'stop', 'debug-shell'],
      ],
    },
    {
      name: 'services.job-mode',
      programs: ['systemctl'],
      // Others stop what runs beside, drop what waits, or look at no dependency.
      value: { of: ['--job-mode'], matches: /^(?!(?:replace|fail)$)/ },
      class: 'destructive',
      needs: ['destructive', 'manage_services'],
      examples: [['systemctl', 'start', '--job-mode=isolate', 'x']],
      notExamples: [['systemctl', 'start', '--job-mode=fail', 'x']],
    },
    {
      name: 'services.guarding-unit',
      programs: ['systemctl'],
      words: [STOPS],
      operand: GUARDING_UNIT,
      class: 'destructive',
      needs: ['destructive', 'manage_services'],
      examples: [
        ['systemctl', 'stop', 'auditd'],
        ['systemctl', 'disable', '--now', 'nginx', 'ufw.service'],
        ['systemctl', 'mask', 'ssh.socket'],
      ],
      notExamples: [
        ['systemctl', 'restart', 'sshd'],
        ['systemctl', 'stop', 'nginx'],
      ],
    },
    {
      name: 'services.system-unit',
      programs: ['systemctl'],
      words: [[...STARTS, ...STOPS, 'reset-failed']],
      operand: SYSTEM_UNIT,
      class: 'destructive',
      needs: ['destructive', 'manage_services'],
      examples: [
        ['systemctl', 'stop', 'system.slice'],
        ['systemctl', 'restart', 'systemd-logind'],
        ['systemctl', 'stop', 'user@1000'],
        ['systemctl', 'stop', 'home.mount'],
        ['systemctl', 'restart', 'dbus'],
      ],
      notExamples: [
        ['systemctl', 'stop', 'users-api'],
        ['systemctl', 'status', 'dbus'],
      ],
    },
    {
      name: 'services.service-opening',
      programs: ['service', 'rc-service'],
      last: START_WORDS,
      operand: OPENING_UNIT,
      class: 'destructive',
      needs: ['destructive', 'manage_services'],
      examples: [['service', 'debug-shell', 'start']],
      notExamples: [['service', 'nginx', 'restart']],
    },
    {
      name: 'services.service-guarding',
      programs: ['service', 'rc-service'],
      last: ['stop'],
      operand: GUARDING_UNIT,
      class: 'destructive',
      needs: ['destructive', 'manage_services'],
      examples: [['service', 'ufw', 'stop']],
      notExamples: [['service', 'ssh', 'restart']],
    },
    {
      name: 'services.service-system',
      programs: ['service', 'rc-service'],
      last: [...START_WORDS, 'stop'],
      operand: SYSTEM_UNIT,
      class: 'destructive',
      needs: ['destructive', 'manage_services'],
      examples: [
        ['service', 'systemd-poweroff', 'start'],
        ['service', 'dbus', 'restart'],
      ],
      notExamples: [['service', 'dbus', 'status']],
    },
    {
      name: 'services.reload-manager',
      programs: ['systemctl'],
      words: [['daemon-reload', 'daemon-reexec']],
      class: 'config-mutation',
      needs: ['manage_services'],
      examples: [['systemctl', 'daemon-reload']],
      notExamples: [['systemctl', 'poweroff']],
    },
    {
      name: 'services.end',
      programs: ['systemctl'],
      words: [
        wordList(
          'kill isolate reboot poweroff halt kexec soft-reboot suspend hibernate rescue emergency default exit switch-root revert clean freeze set-default preset-all',
        ),
      ],
      class: 'destructive',
      needs: ['destructive', 'manage_services'],
      examples: [
        ['systemctl', 'reboot'],
        ['systemctl', 'isolate', 'rescue.target'],
        ['systemctl', 'kill', 'nginx'],
      ],
      notExamples: [['systemctl', 'stop', 'nginx']],
    },
    {
      name: 'services.lay',
      programs: ['systemctl'],
      // What runs, and with which variables; an editor is a program that a variable names.
      words: [wordList('edit link set-property set-environment import-environment')],
      class: 'destructive',
      needs: ['destructive', 'edit_system', 'manage_services', 'shell'],
      examples: [
        ['systemctl', 'edit', 'nginx'],
        ['systemctl', 'link', '/tmp/x.service'],
        ['systemctl', 'set-environment', 'LD_PRELOAD=./x.so'],
      ],
      notExamples: [
        ['systemctl', 'cat', 'nginx'],
        ['systemctl', 'unset-environment', 'x'],
      ],
    },
    {
      name: 'services.service-status',
      programs: ['service', 'rc-service'],
      last: ['status'],
      most: 2,
      plainOperands: PLAIN_UNIT,
      class: 'read',
      needs: ['inspect_status'],
      examples: [['service', 'nginx', 'status']],
      notExamples: [
        ['service', 'nginx', 'restart'],
        ['service', 'nginx', 'status', 'stop'],
        ['service', '../../tmp/x', 'status'],
      ],
    },
    {
      name: 'services.service-list',
      programs: ['service'],
      written: /^\n--status-all$/,
      class: 'read',
      needs: ['inspect_status'],
      examples: [['service', '--status-all']],
      notExamples: [['service', '--status-all', 'start']],
    },
    {
      name: 'services.service-run',
      programs: ['service', 'rc-service'],
      last: [...START_WORDS, 'stop'],
      most: 2,
      plainOperands: PLAIN_UNIT,
      class: 'config-mutation',
      needs: ['manage_services'],
      target: { kind: 'service', only: 0 },
      examples: [
        ['service', 'nginx', 'restart'],
        ['service', '../../tmp/x', 'start'],
      ],
      notExamples: [['service', 'nginx', 'status']],
    },
  ],
};
