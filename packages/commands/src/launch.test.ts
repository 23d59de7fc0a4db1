import type { ActionRequest, HeldAction } from '@writ/authority';
import { describe, expect, it } from 'vitest';
import { launchOf } from './launch.ts';

/** An action of these arguments in `/srv`, whose program and files are held under `/held`. */
function action(argv: readonly string[], files: readonly string[], change: Partial<HeldAction> = {}): HeldAction {
  const program = `/bin/${argv[0]}`;
  const bound = (path: string) => ({ path, sha256: '', sizeBytes: 0 });
  const request: ActionRequest = {
    ...{ origin: 'o', session: 's', agent: 'a', argv, cwd: '/srv', profile: 'ops', runner: 'shell' },
    ...{ network: 'deny', isolation: 'none', inner: [] },
  };
  return {
    action: {
      ...{ request, programs: [bound(program)], files: files.map(bound), environment: [] },
      directory: { path: '/srv', device: '1', inode: '2' },
    },
    digest: '',
    held: new Map([program, '/bin/sh', ...files].map((path) => [path, `/held${path}`])),
    release: async () => undefined,
    ...change,
  };
}

describe('a command', () => {
  it('is started from where its program is held, under its own name', () => {
    expect(launchOf(action(['busybox', 'ls', '-l'], []))).toEqual({
      program: '/held/bin/busybox',
      argv: ['busybox', 'ls', '-l'],
    });
  });

  it('that is a script is given to what runs it, from where it is held', () => {
    const script = action(['deploy', '--now'], [], { interpreter: { path: '/bin/sh', argument: '-e' } });
    expect(launchOf(script)).toEqual({
      program: '/held/bin/sh',
      argv: ['/bin/sh', '-e', '/held/bin/deploy', '--now'],
    });
  });

  it.each([
    [
      ['sh', 'deploy.sh', 'deploy.sh'],
      ['sh', '/held/srv/deploy.sh', 'deploy.sh'],
    ],
    [
      ['bash', '-x', '-o', 'pipefail', './deploy.sh'],
      ['bash', '-x', '-o', 'pipefail', '/held/srv/deploy.sh'],
    ],
    [
      ['python3.12', '-u', '--', '/srv/deploy.sh'],
      ['python3.12', '-u', '--', '/held/srv/deploy.sh'],
    ],
    [
      ['sh', '-c', 'exit 1', 'deploy.sh'],
      ['sh', '-c', 'exit 1', 'deploy.sh'],
    ],
    [
      ['node', '--version'],
      ['node', '--version'],
    ],
    [
      ['sh', 'other.sh'],
      ['sh', 'other.sh'],
    ],
    // It may have to write there.
    [
      ['rm', 'deploy.sh'],
      ['rm', 'deploy.sh'],
    ],
    [
      ['cp', 'x', '/srv/deploy.sh'],
      ['cp', 'x', '/srv/deploy.sh'],
    ],
  ])('%j runs the script that is held, where it runs one', (argv, seen) => {
    expect(launchOf(action(argv, ['/srv/deploy.sh'])).argv).toEqual(seen);
  });
});
