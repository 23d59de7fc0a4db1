import type { RulePack } from '../types.ts';
import { optionNames, SAYS, wordList } from './option-names.ts';

const LOOKUPS = wordList('ss netstat dig host nslookup whois ping ping6 traceroute tracepath mtr arp');

/** Links, addresses and routes by names, numbers and words of their own. */
const IP_CHANGES = new RegExp(
  `^(?:\\n-[46])?\\n(?:${[
    '(?:l|link)\\nset(?:\\ndev)?\\n[\\w.:@-]+(?:\\n(?:up|down|nomaster|(?:mtu|name|master|address|alias|txqueuelen|promisc|multicast|arp)\\n[\\w.:-]+))+',
    '(?:a|addr|address|neigh)\\n(?:del|delete|flush|replace|change)(?:\\n(?!-)[\\w.:/@-]+)*',
    '(?:r|route|rule)\\n(?:del|delete|flush|replace|change)(?:\\n(?:[0-9a-fA-F:.]+(?:/\\d+)?|(?:dev|via|src|table|metric|proto|scope|to|from|lladdr|pref|priority)\\n[\\w.:/@-]+|default|all|cache))*',
  ].join('|')})$`,
);

const IFCONFIG_SHOWS = /^(?:\n-a)?(?:\n[a-z][\w.-]*)?$/;
const ROUTE_SHOWS = /^(?:\n-[nve46]+)?$/;
const NETPLAN_SHOWS = /^\n(?:get|status)(?:\n[\w.-]+)?$/;
/** States and names, and no secrets. */
const NMCLI_SHOWS =
  /^(?:\n-t|\n-f\n[\w.,-]+)*(?:\n(?:general|g)(?:\nstatus)?|\n(?:device|dev|d)(?:\n(?:status|show(?:\n[\w.-]+)?|wifi(?:\nlist)?))?|\n(?:connection|con|c)(?:\nshow(?:\n(?!-)[\w .:-]+)?)?)?$/;
/** Whether somebody listens; nothing is sent. */
const NC_KNOCKS =
  /^(?:\n-[vn46]+|\n-w\n?\d+)*\n-[vn46]*z[vn46]*(?:\n-[vn46]+|\n-w\n?\d+)*\n[\w.:][\w.:-]*\n\d{1,5}(?:-\d{1,5})?$/;

/** Looking at the network, and changing it. */
export const networkPack: RulePack = {
  topic: 'network',
  programs: [
    {
      names: ['ss', 'netstat'],
      flags: optionNames('tulnpaemoiHO046xwrsWcb', '--tcp --udp --listening --numeric --all --processes'),
      valued: ['-f', '-A'],
    },
    {
      names: ['dig', 'host', 'nslookup'],
      flags: optionNames('46avCdH', '-type -query'),
      valued: optionNames('xtqpWhc'),
    },
    // Not its server and port: it sends the words as they are.
    { names: ['whois'], flags: optionNames('vH') },
    {
      names: ['ping', 'ping6', 'traceroute', 'tracepath'],
      flags: optionNames('46nqbIrTUzw'),
      valued: optionNames('ciWsmpt'),
    },
    {
      names: ['mtr'],
      flags: optionNames('46nqbrwzptTu', '--report --report-wide --no-dns'),
      valued: optionNames('cism', '--report-cycles'),
    },
    { names: ['arp'], flags: optionNames('anev') },
    {
      names: ['ip'],
      answers: ['-V', 'help'],
      flags: ['-4', '-6', '-br', '-s', '-d', '-o', '-j', '-c'],
      singleDash: true,
    },
    { names: ['ifconfig'], singleDash: true, flags: ['-a', '-s', '-v'] },
    { names: ['route'], singleDash: true, flags: optionNames('nvA46', '-net -host') },
    { names: ['nmcli'], answers: SAYS },
    { names: ['netplan'], answers: ['--help'] },
    { names: ['nc'], answers: ['-h'] },
    { names: ['ncat', 'socat', 'telnet', 'ftp'] },
  ],
  rules: [
    {
      name: 'network.look',
      programs: LOOKUPS,
      class: 'read',
      needs: ['inspect_network'],
      examples: [
        ['ss', '-ltn'],
        ['dig', 'example.org'],
        ['ping', '-c', '1', 'example.org'],
      ],
      notExamples: [
        ['ss', '-K', 'dst', 'x'],
        ['arp', '-d', 'x'],
      ],
    },
    {
      name: 'network.ip-show',
      programs: ['ip'],
      words: [['addr', 'address', 'a', 'link', 'l', 'route', 'r', 'neigh', 'rule', 'netns']],
      most: 0,
      class: 'read',
      needs: ['inspect_network'],
      examples: [
        ['ip', 'a'],
        ['ip', '-br', 'link'],
      ],
      notExamples: [
        ['ip', 'link', 'set', 'eth0', 'down'],
        ['ip', '-b', 'x', 'a'],
      ],
    },
    {
      name: 'network.ip-list',
      programs: ['ip'],
      words: [
        ['addr', 'address', 'a', 'link', 'l', 'route', 'r', 'neigh', 'rule', 'netns'],
        ['show', 'list', 'get', 'ls'],
      ],
      class: 'read',
      needs: ['inspect_network'],
      examples: [['ip', 'addr', 'show', 'eth0']],
      notExamples: [['ip', 'addr', 'flush', 'eth0']],
    },
    {
      name: 'network.ip-change',
      programs: ['ip'],
      operand: /^(set|del|delete|flush|exec|replace|change|down)$/,
      // Behind other words a file that is named becomes a part of the kernel.
      plain: IP_CHANGES,
      class: 'destructive',
      needs: ['destructive', 'edit_system'],
      examples: [
        ['ip', 'link', 'set', 'eth0', 'down'],
        ['ip', 'route', 'del', 'default'],
      ],
      notExamples: [['ip', 'a']],
    },
    {
      name: 'network.ip-other',
      programs: ['ip'],
      // A word may be cut to its first letters, and most of them change something.
      writtenNot: /^(?:\n-[^\n]*)*(?:\n[a-z]+(?:\n(?:show|sho|sh|list|lis|lst|ls|get|help)(?:\n[^\n]*)*)?)?$/,
      plain: IP_CHANGES,
      class: 'destructive',
      needs: ['destructive', 'edit_system'],
      examples: [
        ['ip', 'route', 'd', 'default'],
        ['ip', 'a', 'f', 'dev', 'eth0'],
        ['ip', 'link', 's', 'eth0', 'down'],
      ],
      notExamples: [
        ['ip', 'a'],
        ['ip', '-br', 'addr', 'show', 'eth0'],
        ['ip', 'route', 'get', '192.0.2.1'],
      ],
    },
    {
      name: 'network.interfaces',
      programs: ['ifconfig'],
      writtenNot: IFCONFIG_SHOWS,
      class: 'destructive',
      needs: ['destructive', 'use_network'],
      examples: [['ifconfig', 'eth0', 'down']],
      notExamples: [['ifconfig', 'eth0']],
    },
    {
      name: 'network.routes',
      programs: ['route'],
      writtenNot: ROUTE_SHOWS,
      class: 'destructive',
      needs: ['destructive', 'use_network'],
      examples: [['route', 'add', 'default', 'gw', '10.0.0.1']],
      notExamples: [['route', '-n']],
    },
    {
      name: 'network.interfaces-show',
      programs: ['ifconfig'],
      written: IFCONFIG_SHOWS,
      class: 'read',
      needs: ['inspect_network'],
      examples: [['ifconfig'], ['ifconfig', '-a'], ['ifconfig', 'eth0']],
      notExamples: [['ifconfig', 'eth0', 'down']],
    },
    {
      name: 'network.routes-show',
      programs: ['route'],
      written: ROUTE_SHOWS,
      class: 'read',
      needs: ['inspect_network'],
      examples: [['route', '-n']],
      notExamples: [
        ['route', 'del', 'default'],
        ['route', '-n', 'flush'],
      ],
    },
    {
      name: 'network.connections-show',
      programs: ['nmcli'],
      written: NMCLI_SHOWS,
      class: 'read',
      needs: ['inspect_network'],
      examples: [
        ['nmcli', 'dev', 'status'],
        ['nmcli', 'con', 'show', 'office'],
      ],
      notExamples: [
        ['nmcli', 'con', 'up', 'office'],
        ['nmcli', '--show-secrets', 'con', 'show', 'office'],
      ],
    },
    {
      name: 'network.connections',
      programs: ['nmcli'],
      writtenNot: NMCLI_SHOWS,
      // Settings of a connection may name programs.
      plain:
        /^\n(?:connection|con|c|device|dev|d)\n(?:show|up|down|delete|connect|disconnect|reapply)(?:\n(?!-)[\w .:-]+)*$/,
      class: 'destructive',
      needs: ['destructive', 'use_network'],
      examples: [
        ['nmcli', 'con', 'up', 'office'],
        ['nmcli', 'con', 'import', 'type', 'openvpn', 'file', 'x'],
      ],
      notExamples: [['nmcli', 'dev', 'status']],
    },
    {
      name: 'network.plan',
      programs: ['netplan'],
      // What a file describes may name programs.
      writtenNot: NETPLAN_SHOWS,
      plain: /^\n(?:apply|try|generate)$/,
      class: 'destructive',
      needs: ['destructive', 'use_network'],
      examples: [
        ['netplan', 'apply'],
        ['netplan', 'set', 'x=y'],
      ],
      notExamples: [['netplan', 'status']],
    },
    {
      name: 'network.plan-show',
      programs: ['netplan'],
      written: NETPLAN_SHOWS,
      class: 'read',
      needs: ['inspect_network'],
      examples: [['netplan', 'status']],
      notExamples: [['netplan', 'apply']],
    },
    {
      name: 'network.plan-get',
      programs: ['netplan'],
      // With the passwords of networks.
      written: /^\nget(?:\n[\w.-]+)?$/,
      class: 'read',
      needs: ['inspect_network', 'read_files'],
      examples: [['netplan', 'get']],
      notExamples: [['netplan', 'status']],
    },
    {
      name: 'network.port-open',
      programs: ['nc'],
      written: NC_KNOCKS,
      class: 'read',
      needs: ['inspect_network'],
      examples: [['nc', '-zv', '-w', '2', 'localhost', '5432']],
      notExamples: [
        ['nc', 'localhost', '5432'],
        ['nc', '-z', '-e', 'id', 'x', '1'],
      ],
    },
    {
      name: 'network.pipe',
      programs: ['nc'],
      writtenNot: NC_KNOCKS,
      class: 'destructive',
      needs: ['destructive', 'shell', 'use_network'],
      examples: [
        ['nc', '-e', 'id', 'x', '1'],
        ['nc', '-l', '8080'],
      ],
      notExamples: [['nc', '-z', 'localhost', '80']],
    },
    {
      name: 'network.pipes',
      programs: ['ncat', 'socat', 'telnet', 'ftp'],
      // What these are given at the other end, or in a file, runs here.
      class: 'destructive',
      needs: ['destructive', 'shell', 'use_network'],
      examples: [
        ['ncat', '-e', 'id', 'x', '1'],
        ['socat', '-', 'exec:id'],
      ],
      notExamples: [['ifconfig', 'eth0', 'down']],
    },
    {
      name: 'network.ip-runs',
      programs: ['ip'],
      operand: /^e(x(e(c)?)?)?$/,
      class: 'destructive',
      needs: ['destructive', 'edit_system', 'shell'],
      examples: [
        ['ip', 'netns', 'exec', 'x', 'rm', 'y'],
        ['ip', 'vrf', 'exec', 'x', 'id'],
      ],
      notExamples: [['ip', 'link', 'set', 'eth0', 'down']],
    },
  ],
};
