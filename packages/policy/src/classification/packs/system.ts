import type { RulePack } from '../types.ts';
import { optionNames, SAYS, wordList } from './option-names.ts';
import { SYSTEM_SECRETS } from './system-secrets.ts';

const STATUS = wordList(
  'uname uptime nproc arch lscpu lsmem lspci lsusb lsmod free vmstat iostat mpstat id whoami who w groups last getent locale printenv sensors getconf tty',
);
const PROCESSES = wordList('ps pgrep pstree top htop lsof pidof fuser pmap');
const DISK = ['df', 'lsblk', 'blkid', 'findmnt', 'smartctl'];

const UNSEEN = wordList(
  'strace ltrace gdb unshare nsenter systemd-run parallel script expect screen tmux flock entr dbus-run-session pkexec run0 capsh setpriv firejail bwrap unbuffer proot fakeroot start-stop-daemon caffeinate ld.so',
);
const VACUUM = wordList('--vacuum-size --vacuum-time --vacuum-files');
const CLEAR = wordList('-C -c --clear --read-clear');

/** Probes of a machine. */
export const systemPack: RulePack = {
  topic: 'system',
  programs: [
    {
      names: ['uname', 'uptime', 'nproc', 'arch', 'lscpu', 'lsmem', 'lsmod', 'id', 'whoami', 'groups', 'tty'],
      answers: SAYS,
      flags: optionNames('asnrvmpiobJeungGGz', '--all --pretty --since --json --bytes --version'),
    },
    {
      names: ['free', 'vmstat', 'iostat', 'mpstat'],
      answers: SAYS,
      flags: optionNames('bkmghwtlvasSdDnpxyzACcP', '--human --total'),
    },
    { names: ['lspci', 'lsusb'], answers: SAYS, flags: optionNames('vnkDtmmbx', '--verbose --tree --version') },
    {
      names: ['who', 'w', 'last'],
      answers: SAYS,
      flags: optionNames('abdhsHquiFxwR', '--all --heading --count'),
      valued: ['-n'],
    },
    {
      names: ['getent', 'locale', 'printenv', 'sensors', 'getconf'],
      answers: SAYS,
      flags: optionNames('akmuAfj0', '--all --json'),
    },
    {
      names: ['ps', 'pgrep', 'pidof', 'pstree', 'top', 'htop'],
      answers: SAYS,
      flags: optionNames('AaefFlHLTcijmMywxrnvXqsb', '--forest --headers --no-headers --full --list-name --list-full'),
      valued: optionNames('opCuUgGtPdEO', '--sort --format --pid --user --ppid --cols --width'),
    },
    // Others of it write its settings anew.
    {
      names: ['pmap'],
      flags: optionNames('xXdqpcVh', '--extended --device --quiet --show-path'),
      valued: ['-A', '--range'],
    },
    {
      names: ['lsof'],
      answers: ['-v', '-h'],
      flags: optionNames('nPltUabRVwiTCXONgFr0123456789:', '+D +d'),
      valued: optionNames('pucds'),
    },
    { names: ['fuser'], answers: SAYS, flags: optionNames('vmkauicsMlIw46'), valued: ['-n', '--namespace'] },
    {
      names: ['df', 'lsblk', 'findmnt', 'blkid'],
      answers: SAYS,
      flags: optionNames(
        'ahHiklPTmfpJbdDSnrRvuAeyzMxIUL',
        '--total --human-readable --all --json --bytes --fs --inodes --local',
      ),
      valued: optionNames('ot', '--output --type --target'),
    },
    {
      names: ['smartctl'],
      answers: SAYS,
      flags: optionNames('aHiAxcj', '--all --health --info --attributes --xall --scan --json'),
      valued: ['-d', '-q'],
    },
    {
      names: ['sar'],
      flags: ['-A', '-u', '-r', '-d', '-b', '-q', '-n', '-S', '-W', '-h', '-p'],
      valued: ['-f', '-s', '-e'],
    },
    {
      names: ['dmidecode'],
      flags: ['-q', '--quiet', '--version', '--help'],
      valued: ['-t', '--type', '-s', '--string'],
    },
    {
      names: ['nvidia-smi'],
      flags: ['-L', '--list-gpus', '-q', '--query', '-h', '--help', '--version'],
      valued: ['-i', '--id', '-d', '--display', '--query-gpu', '--query-compute-apps', '--format'],
    },
    {
      names: ['journalctl'],
      answers: SAYS,
      valued: optionNames(
        'unpotgSU',
        '--since --until --unit --user-unit --lines --priority --output --identifier --grep --facility --output-fields --vacuum-size --vacuum-time --vacuum-files',
      ),
      flags: optionNames(
        'fbkxeraqml0123456789',
        '--no-pager --all --quiet --utc --reverse --follow --catalog --pager-end --dmesg --boot --no-hostname --list-boots --disk-usage --user --system --no-tail --no-full --full --header',
      ),
    },
    {
      names: ['dmesg'],
      answers: SAYS,
      flags: optionNames(
        'TtHLwWkuxrdPSeCc',
        '--clear --read-clear --ctime --human --color --follow --nopager --decode --kernel',
      ),
      valued: optionNames('lf', '--level --facility --since --until'),
    },
    {
      names: ['hostname'],
      answers: [...SAYS, '-V', '-h'],
      flags: optionNames('fsdiIaAy', '--fqdn --short --domain --ip-address --all-ip-addresses'),
    },
    {
      names: ['date'],
      answers: SAYS,
      flags: optionNames('uRI', '--utc --universal --rfc-email --iso-8601'),
      valued: ['-d', '--date', '--rfc-3339'],
    },
    {
      names: ['hostnamectl', 'timedatectl', 'localectl', 'loginctl'],
      answers: SAYS,
      flags: ['--no-pager', '--version', '--help', '-l', '-a'],
    },
    { names: UNSEEN },
  ],
  rules: [
    {
      name: 'system.status',
      programs: [...STATUS, 'sar', 'dmidecode', 'nvidia-smi'],
      class: 'read',
      needs: ['inspect_status'],
      examples: [['free', '-m'], ['uname', '-a'], ['uptime'], ['sar', '-u', '1', '3'], ['dmidecode', '-t', 'memory']],
      notExamples: [
        ['reboot'],
        ['sensors', '-s'],
        ['sar', '-o', 'x', '1'],
        ['dmidecode', '--dump-bin', 'x'],
        ['nvidia-smi', '-r'],
      ],
    },
    {
      name: 'system.secrets',
      programs: ['getent'],
      operand: /shadow/,
      class: 'read',
      needs: ['read_files'],
      examples: [['getent', 'shadow']],
      notExamples: [['getent', 'passwd']],
    },
    ...SYSTEM_SECRETS,
    {
      name: 'system.processes',
      programs: PROCESSES,
      except: ['-k'],
      class: 'read',
      needs: ['inspect_processes'],
      examples: [
        ['ps', 'aux'],
        ['pgrep', 'node'],
        ['lsof', '-i'],
        ['pmap', '-x', '1'],
      ],
      notExamples: [
        ['fuser', '-k', '80/tcp'],
        ['kill', '1'],
        ['pmap', '-n', '1'],
        ['pmap', '-N', 'x', '1'],
        ['lsof', '-D', 'b/x'],
      ],
    },
    {
      name: 'system.fuser-kill',
      programs: ['fuser'],
      options: ['-k', '--kill'],
      class: 'destructive',
      needs: ['destructive', 'manage_services'],
      examples: [['fuser', '-k', '80/tcp']],
      notExamples: [['fuser', '80/tcp']],
    },
    {
      name: 'system.disk',
      programs: DISK,
      class: 'read',
      needs: ['inspect_disk'],
      examples: [['df', '-h'], ['lsblk']],
      notExamples: [
        ['smartctl', '-s', 'off', '/dev/sda'],
        ['smartctl', '-o', 'off', '/dev/sda'],
        ['smartctl', '--offlineauto=off', '/dev/sda'],
      ],
    },
    {
      name: 'system.logs',
      programs: ['journalctl'],
      except: VACUUM,
      class: 'read',
      needs: ['inspect_logs'],
      examples: [
        ['journalctl', '-u', 'nginx', '-n', '50'],
        ['journalctl', '-f'],
      ],
      notExamples: [
        ['journalctl', '--vacuum-size=1M'],
        ['journalctl', '--rotate'],
      ],
    },
    {
      name: 'system.logs-vacuum',
      programs: ['journalctl'],
      options: VACUUM,
      class: 'destructive',
      needs: ['destructive', 'edit_system'],
      examples: [
        ['journalctl', '--vacuum-size=1M'],
        ['journalctl', '--vacuum-time', '1d'],
      ],
      notExamples: [['journalctl', '-n', '5']],
    },
    {
      name: 'system.kernel-log',
      programs: ['dmesg'],
      except: CLEAR,
      class: 'read',
      needs: ['inspect_logs'],
      examples: [['dmesg', '-T']],
      notExamples: [['dmesg', '-C']],
    },
    {
      name: 'system.kernel-log-clear',
      programs: ['dmesg'],
      options: CLEAR,
      class: 'destructive',
      needs: ['destructive', 'edit_system'],
      examples: [['dmesg', '-C']],
      notExamples: [['dmesg', '-T']],
    },
    {
      name: 'system.clock-and-name',
      programs: ['hostname'],
      most: 0,
      class: 'read',
      needs: ['inspect_status'],
      examples: [['hostname'], ['hostname', '-f']],
      notExamples: [
        ['hostname', 'x'],
        ['hostname', '-F', 'x'],
      ],
    },
    {
      name: 'system.date',
      programs: ['date'],
      most: 0,
      class: 'read',
      needs: ['inspect_status'],
      examples: [['date'], ['date', '-u']],
      notExamples: [
        ['date', '-s', 'x'],
        ['date', '01010000'],
      ],
    },
    {
      name: 'system.date-shown',
      programs: ['date'],
      first: /^\+/,
      most: 1,
      class: 'read',
      needs: ['inspect_status'],
      examples: [['date', '+%F']],
      notExamples: [
        ['date', '01010000'],
        ['date', '-s', '+1 day'],
      ],
    },
    {
      name: 'system.control-status',
      programs: ['hostnamectl', 'timedatectl', 'localectl', 'loginctl'],
      most: 0,
      class: 'read',
      needs: ['inspect_status'],
      examples: [['hostnamectl'], ['timedatectl']],
      notExamples: [['hostnamectl', 'set-hostname', 'x']],
    },
    {
      name: 'system.control-look',
      programs: ['hostnamectl', 'timedatectl', 'localectl', 'loginctl'],
      words: [wordList('status show list-sessions list-users timesync-status list-timezones')],
      most: 0,
      class: 'read',
      needs: ['inspect_status'],
      examples: [
        ['timedatectl', 'status'],
        ['loginctl', 'list-sessions'],
      ],
      notExamples: [
        ['timedatectl', 'set-time', 'x'],
        ['loginctl', 'terminate-user', 'x'],
      ],
    },
    {
      name: 'system.runs-unseen',
      programs: UNSEEN,
      // What these run is not looked into.
      class: 'destructive',
      needs: ['destructive', 'shell'],
      examples: [
        ['strace', 'rm', 'x'],
        ['parallel', 'rm', ':::', 'x'],
      ],
      notExamples: [['ps']],
    },
  ],
};
