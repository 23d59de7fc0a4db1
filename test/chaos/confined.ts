import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** What a node needs, and room for the disk in it that is filled. */
const DISK = '512m';
/** A user of whom nothing else runs: root is exempt from the limit. */
const USER = '54321';

/**
 * Runs this program again as `words` say, in a user and mount namespace of its own with a disk of its own as its temporary
 * folder. With a limit of processes, also as another user where this one is root, whom no limit binds. Resolves with what it
 * wrote, and rejects unless it exits 0.
 */
export async function runConfined(
  program: string,
  words: readonly string[],
  { processes }: { readonly processes: number | undefined },
): Promise<string> {
  const disk = mkdtempSync(join(tmpdir(), 'we-'));
  const asAnother = processes !== undefined && process.getuid?.() === 0;
  if (asAnother) {
    chownSync(disk, Number(USER), Number(USER));
    // The bundle that is run is this user's alone.
    chmodSync(dirname(program), 0o755);
  }
  const mounted = `mount -t tmpfs -o size=${DISK},mode=0700 disk "$0" && TMPDIR="$0" exec "$@"`;
  const [command = '', ...args] = [
    ...(asAnother ? ['setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--clear-groups'] : []),
    ...['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c', mounted, disk],
    ...(processes === undefined ? [] : ['prlimit', `--nproc=${processes}`]),
    ...[process.execPath, program, ...words],
  ];
  try {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`it ended with ${code}, and said: ${text}`);
    return text;
  } finally {
    rmSync(disk, { recursive: true, force: true });
  }
}
