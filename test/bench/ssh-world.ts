import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@writ/testkit/mesh';
import { findTool } from '../support/require.ts';
import { endChild, eventually, runToEnd } from './process.ts';
import type { Subject } from './subject.ts';

/** Where sshd, when started as root, wants an empty folder; Debian's service makes it, and no service runs here. */
const PRIVILEGE_SEPARATION = '/run/sshd';

/** A loopback sshd with its own keys and settings, and a client that knows nothing else. Nobody's ~/.ssh is read or written. */
interface SshWorld {
  /** Arguments for `ssh` that run a command in this world, `extra` options first. */
  args(extra: readonly string[], ...command: string[]): string[];
  readonly ssh: string;
  readonly environment: NodeJS.ProcessEnv;
  close(): Promise<void>;
}

function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === String(pid);
      } catch {
        return false;
      }
    })
    .map(Number);
}

function writeSettings(folder: string, home: string, port: number): void {
  writeFileSync(
    join(folder, 'sshd_config'),
    [
      `ListenAddress 127.0.0.1:${port}`,
      `HostKey ${folder}/host_key`,
      `AuthorizedKeysFile ${folder}/client_key.pub`,
      'PidFile none',
      'StrictModes no',
      'UsePAM no',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'PermitRootLogin prohibit-password',
      'PermitUserRC no',
      'PrintMotd no',
      'PrintLastLog no',
      'UseDNS no',
      `SetEnv HOME=${home}`,
      '',
    ].join('\n'),
  );
  writeFileSync(
    join(folder, 'ssh_config'),
    [
      'Host bench',
      '  HostName 127.0.0.1',
      `  Port ${port}`,
      `  User ${userInfo().username}`,
      `  IdentityFile ${folder}/client_key`,
      '  IdentitiesOnly yes',
      '  IdentityAgent none',
      `  UserKnownHostsFile ${folder}/known_hosts`,
      '  GlobalKnownHostsFile none',
      '  StrictHostKeyChecking yes',
      '  BatchMode yes',
      `  ControlPath ${folder}/master`,
      '  ControlMaster no',
      '',
    ].join('\n'),
  );
}

function need(tool: 'ssh' | 'sshd'): string {
  const path = findTool(tool);
  if (path === undefined)
    throw new Error(`${tool} is missing: install the Debian packages openssh-client and openssh-server`);
  return path;
}

/** Starts a throw-away sshd whose keys, settings and home lie below `folder`, which must exist and be short. */
async function openSshWorld(folder: string): Promise<SshWorld> {
  const [ssh, sshd] = [need('ssh'), need('sshd')];
  const home = join(folder, 'home');
  mkdirSync(home);
  const environment = { PATH: process.env.PATH, HOME: home, LANG: 'C' };
  for (const name of ['host_key', 'client_key']) {
    await runToEnd('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', join(folder, name)]);
  }
  const port = await freePort();
  writeSettings(folder, home, port);
  writeFileSync(
    join(folder, 'known_hosts'),
    `[127.0.0.1]:${port} ${readFileSync(join(folder, 'host_key.pub'), 'utf8')}`,
  );
  const madeFolder = process.getuid?.() === 0 && !existsSync(PRIVILEGE_SEPARATION);
  if (madeFolder) mkdirSync(PRIVILEGE_SEPARATION, { mode: 0o755 });
  const daemon = spawn(sshd, ['-D', '-e', '-f', join(folder, 'sshd_config')], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: environment,
  });
  const log: string[] = [];
  daemon.stderr.on('data', (chunk: Buffer) => log.push(chunk.toString('utf8')));
  const world: SshWorld = {
    ssh,
    environment,
    args: (extra, ...command) => ['-F', join(folder, 'ssh_config'), ...extra, 'bench', ...command],
    async close() {
      // Connections outlive the listener; they end with their clients, which are gone before this is called.
      await eventually(100, 20, async () => {
        const left = daemon.pid === undefined ? [] : childrenOf(daemon.pid);
        if (left.length > 0) throw new Error(`sshd still serves connections: ${left.join(', ')}`);
      });
      await endChild(daemon);
      if (madeFolder) rmdirSync(PRIVILEGE_SEPARATION);
    },
  };
  try {
    await eventually(50, 50, () => runToEnd(ssh, world.args(['-o', 'ControlPath=none'], 'true'), { env: environment }));
  } catch (error) {
    await world.close();
    throw new Error(`the throw-away sshd does not serve: ${log.join('').trim()}`, { cause: error });
  }
  return world;
}

/** Both ways to run `true` over ssh, in one throw-away world below `folder`. */
export function sshSubjects(folder: string): { warm: Subject; cold: Subject } {
  let world: SshWorld | undefined;
  let master: ChildProcess | undefined;
  const opened = (): SshWorld => {
    if (world === undefined) throw new Error('ssh is not set up');
    return world;
  };
  const run = async (extra: readonly string[]): Promise<void> => {
    await runToEnd(opened().ssh, opened().args(extra, 'true'), { env: opened().environment });
  };
  return {
    warm: {
      name: 'ssh-warm',
      does: 'ssh over a waiting ControlMaster, `true`',
      async setup() {
        world = await openSshWorld(folder);
        master = spawn(world.ssh, world.args(['-o', 'ControlMaster=yes', '-N']), {
          stdio: 'ignore',
          env: world.environment,
        });
        const check = world.args(['-O', 'check']);
        await eventually(50, 50, () => runToEnd(opened().ssh, check, { env: opened().environment }));
      },
      once: () => run([]),
      async teardown() {
        await endChild(master);
        await world?.close();
        world = undefined;
      },
    },
    cold: {
      name: 'ssh-cold',
      does: 'ssh with a connection of its own, `true`',
      every: 10,
      setup: async () => void opened(),
      once: () => run(['-o', 'ControlPath=none']),
      teardown: async () => {},
    },
  };
}
