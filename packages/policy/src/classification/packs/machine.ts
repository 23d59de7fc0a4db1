import type { RulePack } from '../types.ts';
import { optionNames } from './option-names.ts';

const POWER = ['reboot', 'shutdown', 'halt', 'poweroff', 'init', 'telinit', 'kexec'];
const ACCOUNTS = ['userdel', 'groupdel', 'deluser', 'delgroup'];

/** Processes, power, accounts, what runs later, the firewall and the kernel. */
export const machinePack: RulePack = {
  topic: 'machine',
  programs: [
    { names: ['kill', 'pkill', 'killall', 'skill'] },
    {
      names: [...POWER, ...ACCOUNTS, 'useradd', 'adduser', 'usermod', 'groupadd', 'passwd', 'chpasswd', 'visudo'],
    },
    { names: ['crontab', 'at', 'batch'], flags: ['-l'], valued: ['-u'] },
    { names: ['iptables', 'ip6tables', 'nft', 'ufw', 'firewall-cmd'] },
    { names: ['sysctl', 'modprobe', 'rmmod', 'insmod'], flags: optionNames('naeNb', '--values --names --all') },
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
      // A signal is written as letters of options.
      writtenNot: /^\n(?:-l|-L|--list|--table)(?:\n\d+)?$/,
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
      name: 'machine.accounts',
      programs: ['useradd', 'adduser', 'usermod', 'groupadd', 'passwd', 'chpasswd', 'visudo', ...ACCOUNTS],
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
      options: ['-l'],
      except: ['-r', '-e'],
      most: 0,
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
      programs: ['crontab', 'at', 'batch'],
      // What runs later is not in the command.
      except: ['-l'],
      class: 'destructive',
      needs: ['destructive', 'edit_system'],
      examples: [
        ['crontab', '-r'],
        ['crontab', 'x'],
        ['at', 'now'],
      ],
      notExamples: [['crontab', '-l']],
    },
    {
      name: 'machine.schedule-runs',
      programs: ['crontab', 'at', 'batch'],
      // An editor, a file of commands, or commands from the standard input; the rest lists and takes away.
      writtenNot: /^(?:\n-u\n[\w.-]+)?(?:\n-[lri]+|(?:\n-[rdc])(?:\n\d+)+)$/,
      class: 'destructive',
      needs: ['destructive', 'edit_system', 'shell'],
      examples: [['crontab', '-e'], ['crontab', 'x'], ['crontab', '-'], ['at', 'now'], ['batch']],
      notExamples: [
        ['crontab', '-r'],
        ['crontab', '-u', 'x', '-l'],
        ['at', '-r', '1'],
      ],
    },
    {
      name: 'machine.accounts-edit',
      programs: ['visudo'],
      // An editor, which is a program that a variable names.
      class: 'destructive',
      needs: ['destructive', 'edit_system', 'shell'],
      examples: [['visudo']],
      notExamples: [['passwd', 'x']],
    },
    {
      name: 'machine.loads',
      programs: ['insmod', 'kexec'],
      // What a file holds becomes the kernel, or part of it.
      class: 'destructive',
      needs: ['destructive', 'edit_system', 'shell'],
      examples: [
        ['insmod', 'x.ko'],
        ['kexec', '-l', 'x'],
      ],
      notExamples: [['rmmod', 'x']],
    },
    {
      name: 'machine.firewall-runs',
      programs: ['iptables', 'ip6tables'],
      options: ['--modprobe', '-M'],
      class: 'destructive',
      needs: ['destructive', 'edit_system', 'shell'],
      examples: [['iptables', '--modprobe=./p', '-F']],
      notExamples: [['iptables', '-F']],
    },
    {
      name: 'machine.kernel-runs',
      programs: ['sysctl', 'modprobe'],
      // Settings that name a program which the kernel starts.
      written: /core_pattern|modprobe|hotplug|poweroff_cmd|usermodehelper/,
      class: 'destructive',
      needs: ['destructive', 'edit_system', 'shell'],
      examples: [['sysctl', '-w', 'kernel.core_pattern=|./p']],
      notExamples: [['sysctl', '-w', 'vm.swappiness=1']],
    },
    {
      name: 'machine.kernel-settings',
      programs: ['sysctl', 'modprobe'],
      // Files of settings, whose lines name programs.
      options: ['-p', '-C', '-d', '--load', '--system', '--config', '--dirname'],
      class: 'destructive',
      needs: ['destructive', 'edit_system', 'shell'],
      examples: [
        ['sysctl', '-p', 'x'],
        ['sysctl', '--loa=./x'],
        ['modprobe', '-C', 'x', 'y'],
        ['modprobe', '--conf', './x', '-r', 'y'],
      ],
      notExamples: [
        ['sysctl', '-w', 'vm.swappiness=1'],
        ['modprobe', '-r', 'x'],
      ],
    },
    {
      name: 'machine.firewall',
      programs: ['iptables', 'ip6tables', 'nft', 'ufw', 'firewall-cmd', 'rmmod', 'insmod'],
      class: 'destructive',
      needs: ['destructive', 'edit_system'],
      examples: [
        ['iptables', '-F'],
        ['ufw', 'disable'],
        ['rmmod', 'x'],
      ],
      notExamples: [['ss', '-l']],
    },
    {
      name: 'machine.kernel',
      programs: ['sysctl', 'modprobe'],
      options: ['-w', '-p', '--write', '--load', '--system', '-r', '--remove'],
      class: 'config-mutation',
      needs: ['edit_system'],
      examples: [['sysctl', '-w', 'a=1']],
      notExamples: [['sysctl', 'a']],
    },
    {
      name: 'machine.kernel-read',
      programs: ['sysctl'],
      except: ['-w', '-p', '--write', '--load', '--system'],
      first: /^[a-z0-9_.]+$/,
      most: 1,
      class: 'read',
      needs: ['inspect_status'],
      examples: [['sysctl', 'kernel.hostname']],
      notExamples: [
        ['sysctl', 'kernel.hostname=x'],
        ['sysctl', '-w', 'a=1'],
      ],
    },
  ],
};
