import type { RulePack } from '../types.ts';
import { FIREWALLS } from './machine-firewalls.ts';
import { KERNEL } from './machine-kernel.ts';
import { optionNames, SAYS, wordList } from './option-names.ts';

const POWER = wordList('reboot shutdown halt poweroff init telinit');
const ACCOUNTS = wordList('userdel groupdel deluser delgroup useradd adduser usermod groupadd passwd chpasswd');
const PASSWORDS = ['passwd', 'chpasswd'];
const CRON_LIST = /^(?:\n-u\n[\w.-]+)?\n-l$/;
const SIGNALS = /^\n(?:-l|-L|--list|--table)(?:\n\d+)?$/;
const AT_LIST = /^\n(?:-l|-V|-c(?:\n\d+)+)$/;

/** Processes, power, accounts, what runs later, the firewall and the kernel. */
export const machinePack: RulePack = {
  topic: 'machine',
  programs: [
    { names: ['kill', 'pkill', 'killall', 'skill'], answers: ['--version', '-V'] },
    {
      names: [...POWER, 'kexec'],
      flags: optionNames(
        'hrPHkcfFwdnpit',
        '--reboot --halt --poweroff --force --no-wall --wtmp-only --no-wtmp --no-sync',
      ),
    },
    {
      // Not the program that greets whoever signs in, their home, and the folder that it is filled from.
      names: [...ACCOUNTS.filter((name) => !PASSWORDS.includes(name)), 'visudo'],
      flags: optionNames(
        'rfmMNUoaqL',
        '--remove --force --remove-home --disabled-password --disabled-login --system --group --no-create-home --quiet --create-home --user-group --append --lock --unlock',
      ),
      valued: optionNames('Gguc', '--groups --gid --uid --comment --gecos --ingroup --expiredate'),
    },
    {
      names: PASSWORDS,
      flags: optionNames('aldeSuqi', '--all --lock --unlock --delete --expire --status --quiet --encrypted'),
    },
    { names: ['crontab'] },
    { names: ['at', 'batch'] },
    {
      names: ['iptables', 'ip6tables'],
      // A library of that name is loaded.
      values: {
        '-m': /^[\w-]+$/,
        '--match': /^[\w-]+$/,
        '-j': /^[\w-]+$/,
        '--jump': /^[\w-]+$/,
        '-p': /^[\w-]+$/,
        '--protocol': /^[\w-]+$/,
      },
      flags: optionNames(
        'LSFZvnxw46',
        '--list --list-rules --flush --zero --verbose --numeric --line-numbers --wait --syn',
      ),
      valued: optionNames(
        'ADCIRPNXEtpsdiojmg',
        '--append --delete --check --insert --replace --policy --new-chain --delete-chain --table --protocol --source --destination --in-interface --out-interface --jump --match --dport --sport --dports --sports --state --ctstate --comment --to-destination --to-source --to-ports --icmp-type --limit --limit-burst --reject-with --log-prefix --mac-source',
      ),
    },
    { names: ['nft'], flags: optionNames('jnasecNT', '--json --numeric --handle --check --terse') },
    { names: ['ufw'], flags: ['--force', '--dry-run'], answers: [...SAYS, 'version'] },
    {
      names: ['firewall-cmd'],
      flags: wordList(
        '--permanent --reload --complete-reload --zone --state --list-all --list-ports --list-services --add-port --remove-port --add-service --remove-service --add-source --remove-source --add-rich-rule --remove-rich-rule --add-interface --remove-interface --add-masquerade --remove-masquerade --runtime-to-permanent --get-default-zone --set-default-zone --get-active-zones --timeout --quiet -q',
      ),
    },
    { names: ['rmmod'], flags: optionNames('fvsw', '--force --verbose --syslog') },
    {
      names: ['sysctl'],
      flags: optionNames('naAeNbwq', '--values --names --all --write'),
      valued: ['-r'],
      answers: SAYS,
    },
    { names: ['modprobe', 'insmod'], flags: optionNames('nvqar', '--remove --dry-run --verbose --quiet') },
  ],
  rules: [
    {
      name: 'machine.power',
      programs: POWER,
      class: 'destructive',
      needs: ['destructive', 'edit_system'],
      examples: [['reboot'], ['shutdown', '-h', 'now'], ['init', '0']],
      notExamples: [['uptime']],
    },
    {
      name: 'machine.kill',
      programs: ['kill', 'pkill', 'killall', 'skill'],
      // A signal is written as letters of options, and no option of these runs anything.
      anyArguments: true,
      writtenNot: SIGNALS,
      class: 'destructive',
      needs: ['destructive', 'manage_services'],
      examples: [
        ['kill', '-9', '1'],
        ['kill', '-KILL', '1'],
        ['pkill', '-fl', 'x'],
        ['pkill', 'node'],
      ],
      notExamples: [['kill', '-l']],
    },
    {
      name: 'machine.signals',
      programs: ['kill'],
      written: SIGNALS,
      class: 'read',
      needs: [],
      examples: [['kill', '-l']],
      notExamples: [['kill', '-9', '1']],
    },
    {
      name: 'machine.accounts',
      programs: ACCOUNTS,
      class: 'destructive',
      needs: ['destructive', 'edit_system'],
      examples: [
        ['userdel', '-r', 'x'],
        ['usermod', '-aG', 'sudo', 'x'],
      ],
      notExamples: [['id']],
    },
    {
      name: 'machine.cron-list',
      programs: ['crontab'],
      written: CRON_LIST,
      class: 'read',
      needs: ['inspect_status'],
      examples: [['crontab', '-l']],
      notExamples: [
        ['crontab', '-r'],
        ['crontab', 'x'],
      ],
    },
    {
      name: 'machine.schedule',
      programs: ['crontab'],
      // What runs later is in an editor, a file or the standard input; the rest takes away.
      writtenNot: CRON_LIST,
      plain: /^(?:\n-u\n[\w.-]+)?\n-[ri]+$/,
      class: 'destructive',
      needs: ['destructive', 'edit_system'],
      examples: [
        ['crontab', '-r'],
        ['crontab', 'x'],
        ['crontab', '-e'],
      ],
      notExamples: [['crontab', '-l']],
    },
    {
      name: 'machine.schedule-once',
      programs: ['at', 'batch'],
      plain: /^\n-[rd](?:\n\d+)+$/,
      writtenNot: AT_LIST,
      class: 'destructive',
      needs: ['destructive', 'edit_system'],
      examples: [
        ['at', 'now'],
        ['at', '-r', '3'],
        ['batch', '-f', 'x'],
      ],
      notExamples: [['at', '-l']],
    },
    {
      name: 'machine.schedule-list',
      programs: ['at'],
      written: AT_LIST,
      class: 'read',
      needs: ['inspect_status'],
      examples: [['at', '-l']],
      notExamples: [['at', '-f', 'x', 'now']],
    },
    {
      name: 'machine.loads',
      programs: ['insmod', 'kexec', 'visudo'],
      // What a file holds becomes the kernel, or part of it; an editor is a program that a variable names.
      class: 'destructive',
      needs: ['destructive', 'edit_system', 'shell'],
      examples: [['insmod', 'x.ko'], ['kexec', '-l', 'x'], ['visudo']],
      notExamples: [
        ['rmmod', 'x'],
        ['passwd', 'x'],
      ],
    },
    {
      name: 'machine.schedule-show',
      programs: ['at'],
      // With all variables of whoever made it.
      written: /^\n-c(?:\n\d+)+$/,
      class: 'read',
      needs: ['inspect_status', 'read_files'],
      examples: [['at', '-c', '3']],
      notExamples: [['at', '-l']],
    },
    ...FIREWALLS,
    ...KERNEL,
  ],
};
