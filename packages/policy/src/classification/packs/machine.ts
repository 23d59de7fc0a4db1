import type { RulePack } from '../types.ts';
import { optionNames, wordList } from './option-names.ts';

const POWER = wordList('reboot shutdown halt poweroff init telinit');
const ACCOUNTS = wordList('userdel groupdel deluser delgroup useradd adduser usermod groupadd passwd chpasswd');
const PASSWORDS = ['passwd', 'chpasswd'];
const CRON_LIST = /^(?:\n-u\n[\w.-]+)?\n-l$/;
/** Settings of memory, network and numbers: none of them names a program. */
const SETTINGS =
  /^(?:\n-[wqne]+|\n-r(?=\n\w)|\n(?:(?:vm|net)\.[\w.-]+|fs\.(?:file-max|nr_open|aio-max-nr|inotify\.\w+)|kernel\.(?:hostname|domainname|panic|pid_max|threads-max|shm\w+|sem|msg\w+|sched_\w+|printk|dmesg_restrict|kptr_restrict|perf_event_paranoid))=[\w .-]*|\n\w[\w-]*)*$/;

/** Processes, power, accounts, what runs later, the firewall and the kernel. */
export const machinePack: RulePack = {
  topic: 'machine',
  programs: [
    { names: ['kill', 'pkill', 'killall', 'skill'] },
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
    { names: ['crontab', 'at', 'batch'] },
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
    { names: ['ufw'], flags: ['--force', '--dry-run'] },
    {
      names: ['firewall-cmd'],
      flags: wordList(
        '--permanent --reload --complete-reload --zone --state --list-all --list-ports --list-services --add-port --remove-port --add-service --remove-service --add-source --remove-source --add-rich-rule --remove-rich-rule --add-interface --remove-interface --add-masquerade --remove-masquerade --runtime-to-permanent --get-default-zone --set-default-zone --get-active-zones --timeout --quiet -q',
      ),
    },
    { names: ['rmmod'], flags: optionNames('fvsw', '--force --verbose --syslog') },
    {
      names: ['sysctl', 'modprobe', 'insmod'],
      flags: optionNames('naeNbwr', '--values --names --all --write --remove'),
    },
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
      programs: ['crontab', 'at', 'batch'],
      // What runs later is in an editor, a file or the standard input; the rest lists and takes away.
      writtenNot: CRON_LIST,
      plain: /^(?:\n-u\n[\w.-]+)?(?:\n-[lri]+|\n-[rdc](?:\n\d+)+)$/,
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
      name: 'machine.firewall',
      programs: ['iptables', 'ip6tables', 'nft', 'ufw', 'firewall-cmd', 'rmmod'],
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
      name: 'machine.unload',
      programs: ['modprobe'],
      options: ['-r', '--remove'],
      class: 'destructive',
      needs: ['destructive', 'edit_system'],
      examples: [['modprobe', '-r', 'x']],
      notExamples: [['modprobe', '-n', 'x']],
    },
    {
      name: 'machine.kernel',
      programs: ['sysctl', 'modprobe'],
      options: [
        '-w',
        '-p',
        '-f',
        '--write',
        '--load',
        '--system',
        '-r',
        '--remove',
        '-C',
        '-d',
        '--config',
        '--dirname',
      ],
      plain: SETTINGS,
      class: 'config-mutation',
      needs: ['edit_system'],
      examples: [
        ['sysctl', '-w', 'vm.swappiness=1'],
        ['sysctl', '-p', 'x'],
        ['modprobe', '-r', 'x'],
      ],
      notExamples: [['sysctl', 'a']],
    },
    {
      name: 'machine.kernel-set',
      programs: ['sysctl'],
      // It is set without an option too.
      operand: /=/,
      plain: SETTINGS,
      class: 'config-mutation',
      needs: ['edit_system'],
      examples: [['sysctl', 'vm.swappiness=1']],
      notExamples: [['sysctl', 'vm.swappiness']],
    },
    {
      name: 'machine.kernel-unsaid',
      programs: ['sysctl'],
      operand: /=/,
      except: ['-w', '--write'],
      class: 'config-mutation',
      needs: ['edit_system', 'shell'],
      examples: [['sysctl', 'vm.swappiness=1']],
      notExamples: [['sysctl', '-w', 'vm.swappiness=1']],
    },
    {
      name: 'machine.kernel-read',
      programs: ['sysctl'],
      except: ['-w', '--write'],
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
