import { join } from 'node:path';
import { NODE_THREADS } from '../lifecycle/node-threads.ts';
import type { ServiceManager, ServiceOrder } from './types.ts';

const MARKER = '<!-- Written by `writ service install`; `writ service uninstall` takes it away. -->';

/** Agents of launchd, for a user who is logged in; `homeDir` is that user's. Written from its documentation, never run. */
export function launchd(homeDir: string): ServiceManager {
  const label = (name: string): string => `dev.writ.${name}`;
  const file = (name: string): string => join(homeDir, 'Library', 'LaunchAgents', `${label(name)}.plist`);
  return {
    kind: 'launchd',
    file,
    describe: plistText,
    marker: MARKER,
    enable: (name) => [['launchctl', 'load', '-w', file(name)]],
    disable: (name) => [['launchctl', 'unload', '-w', file(name)]],
    isActive: (name) => ['launchctl', 'list', label(name)],
    notes: () => ['services of launchd are untested: look whether it runs with `writ status`'],
  };
}

/** See launchd.plist(5). */
function plistText({ name, argv, path }: ServiceOrder): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
${MARKER}
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>dev.writ.${escaped(name)}</string>
  <key>ProgramArguments</key>
  <array>
${argv.map((word) => `    <string>${escaped(word)}</string>`).join('\n')}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
    <key>PATH</key>
    <string>${escaped(path)}</string>
${Object.entries(NODE_THREADS)
  .map(([name, value]) => `    <key>${name}</key>\n    <string>${value}</string>`)
  .join('\n')}
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
</dict>
</plist>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
