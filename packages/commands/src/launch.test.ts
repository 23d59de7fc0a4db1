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
      directory: { path: '/srv', device: '1', inode: '2', born: '3' },
    },
    ...{ digest: '', interpreters: [], folders: [], copied: [] },
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
    const script = action(['deploy', '--now'], [], { interpreters: [{ path: '/bin/sh', argument: '-e' }] });
    expect(launchOf(script)).toEqual({
      program: '/held/bin/sh',
      argv: ['/bin/sh', '-e', '/held/bin/deploy', '--now'],
    });
  });

  it('that is run by a script is given to it as the kernel gives it', () => {
    const interpreters = [{ path: '/srv/own', argument: '-x' }, { path: '/bin/sh' }];
    expect(launchOf(action(['deploy', '--now'], ['/srv/own'], { interpreters }))).toEqual({
      program: '/held/bin/sh',
      argv: ['/bin/sh', '/held/srv/own', '-x', '/held/bin/deploy', '--now'],
    });
  });

  it('runs the script that is held in place of the argument that names it, and leaves other files where they are', () => {
    const script = { at: 2, path: '/srv/deploy.sh' };
    const argv = ['sh', '-x', 'deploy.sh', 'deploy.sh'];
    expect(launchOf(action(argv, ['/srv/deploy.sh'], { script })).argv).toEqual([
      ...['sh', '-x', '/held/srv/deploy.sh', 'deploy.sh'],
    ]);
    expect(launchOf(action(['rm', 'deploy.sh'], ['/srv/deploy.sh'])).argv).toEqual(['rm', 'deploy.sh']);
  });
});
