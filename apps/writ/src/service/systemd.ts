import { join } from 'node:path';
import { quote, WritError } from '@writ/core';
import { NODE_THREADS } from '../lifecycle/node-threads.ts';
import type { ServiceManager, ServiceOrder } from './types.ts';

/** Longer than the node takes to end its work, seconds; then what is left in its group is killed. */
const STOP_SECONDS = 30;

const MARKER = '# Written by `writ service install`; `writ service uninstall` takes it away.';

/** User units of systemd; `configHome` is where XDG configuration lies. */
export function systemd(configHome: string): ServiceManager {
  const unit = (name: string): string => `${name}.service`;
  return {
    kind: 'systemd',
    file: (name) => join(configHome, 'systemd', 'user', unit(name)),
    describe: unitText,
    marker: MARKER,
    enable: (name) => [
      ['systemctl', '--user', 'daemon-reload'],
      ['systemctl', '--user', 'enable', unit(name)],
    ],
    disable: (name) => [['systemctl', '--user', 'disable', unit(name)]],
    isActive: (name) => ['systemctl', '--user', 'is-active', '--quiet', unit(name)],
    notes: (name) => [
      'it starts when you log in; to have it run without that: loginctl enable-linger',
      `what it says: journalctl --user -u ${name}`,
    ],
  };
}

/** See systemd.service(5), systemd.syntax(7). */
function unitText({ argv, path }: ServiceOrder): string {
  const threads = Object.entries(NODE_THREADS).map(([name, value]) => `Environment=${name}=${value}`);
  return `${MARKER}
[Unit]
Description=Writ node
Documentation=https://www.freedesktop.org/software/systemd/man/systemd.service.html
After=network-online.target

[Service]
ExecStart=${argv.map((word) => quoted(word, { isCommand: true })).join(' ')}
Environment=${quoted(`PATH=${path}`, { isCommand: false })}
${threads.join('\n')}
# A node that was stopped with \`writ down\` stays down; one that was killed comes back.
Restart=on-failure
RestartSec=2
# The node ends its own work first.
KillMode=mixed
# Runs get groups of their own below the one of the node, which holds their limits.
Delegate=yes
TimeoutStopSec=${STOP_SECONDS}

[Install]
WantedBy=default.target
`;
}

/** A word as systemd reads it: quotes and backslashes escaped, `%` no specifier, and in a command `$` no variable. Throws BAD_REQUEST. */
function quoted(word: string, { isCommand }: { readonly isCommand: boolean }): string {
  if (/\p{Cc}/u.test(word)) {
    throw new WritError(
      'BAD_REQUEST',
      `a service cannot be started from ${quote(word)}: it holds a control character`,
      {
        nextSteps: ['install it in another folder'],
      },
    );
  }
  const escaped = word.replace(/["\\]/g, '\\$&').replaceAll('%', '%%');
  return `"${isCommand ? escaped.replaceAll('$', '$$$$') : escaped}"`;
}
