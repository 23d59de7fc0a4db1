import { expect, it } from 'vitest';
import { testGrammar } from '../testing/shell-grammar.ts';
import { changesCovered } from './alone.ts';
import { createCommandClassifier } from './classify.ts';

const classifier = createCommandClassifier({ grammar: await testGrammar() });

/** Class of a command, and whether an assent window covers it. */
function about(text: string): readonly unknown[] {
  const argv = text.split(' ');
  const classification = classifier.classify(argv, { host: 'self', cwd: '/w' });
  return [classification.class, changesCovered(classification, argv, '/w') !== undefined];
}

it.each([
  'systemctl restart nginx',
  'systemctl enable --now nginx.service',
  'systemctl stop php8.1-fpm',
  'systemctl start reboot-notifier',
  'systemctl daemon-reload',
  'service nginx restart',
  'apt-get update',
  'apt-get install -y jq',
  'docker restart web',
])('%s is a change that a window covers, where its plan named the same', (text) =>
  expect(about(text)).toEqual(['config-mutation', true]),
);

it.each([
  ...[
    'start debug-shell',
    'enable --now debug-shell',
    'restart nginx debug-shell',
    'start autovt@tty9',
    'start getty@tty9',
  ],
  ...['start system-update.target', 'start sysinit.target', 'start systemd-repart', 'start emergency.service'],
  ...[
    'start rescue',
    'start telnet.socket',
    'enable systemd-soft-reboot',
    'start graphical.target',
    'start swap.target',
  ],
  ...['stop system.slice', 'stop user.slice', 'stop init.scope', 'stop local-fs.target', 'stop dbus', 'stop user@1000'],
  ...['stop home.mount', 'stop -- -.mount', 'restart x.automount', 'stop dev-sda2.swap', 'stop auditd', 'stop ufw'],
  ...[
    'disable apparmor',
    'stop writ',
    'mask nftables.service',
    'disable --now firewalld',
    'stop sshd',
    'stop ssh.socket',
  ],
  ...['stop fail2ban', 'stop rsyslog', 'restart dbus-org.freedesktop.login1', 'stop NetworkManager', 'restart polkit'],
])('systemctl %s is destructive', (words) => expect(about(`systemctl ${words}`)).toEqual(['destructive', false]));

it.each(['service dbus restart', 'service ufw stop', 'rc-service auditd stop', 'service debug-shell start'])(
  '%s is destructive',
  (text) => expect(about(text)).toEqual(['destructive', false]),
);

it.each([
  'systemctl restart users-api postgresql',
  'apt-get install jq curl',
  'apt-get upgrade',
  'dnf update',
  'snap refresh',
  'docker pull x',
  'docker restart web db',
  'kubectl -n kube-system scale deployment coredns --replicas=0',
  'systemctl restart sshd',
  'systemctl reload firewalld',
  'systemctl start docker.socket',
  'systemctl enable --now backup.timer',
  'systemctl start upload.path',
  'systemctl restart postgresql@14-main',
  'systemctl unmask nginx',
  'systemctl start a\\x2db',
  'service ssh restart',
])('%s is asked about by itself', (text) => expect(about(text)).toEqual(['config-mutation', false]));
