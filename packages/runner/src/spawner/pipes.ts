import { spawn, spawnSync } from 'node:child_process';
import { closeSync, constants, mkdirSync, openSync, realpathSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';

/** One pipe: `writeFd` is handed to a child and then closed here; `reader` gives what comes out. */
export interface OutputPipe {
  /** Absolute path that it was made under. */
  readonly name: string;
  readonly writeFd: number;
  readonly reader: Socket;
}

/** Real pipes for the output of children. */
export interface PipePool {
  /** A fresh pipe, or undefined where this machine cannot make any. */
  take(): OutputPipe | undefined;
}

/** Pipes made at once; each costs two descriptors until it is taken. */
const BATCH = 16;

interface RawPipe {
  readonly name: string;
  readonly readFd: number;
  readonly writeFd: number;
}

/**
 * Node.js gives a child sockets where it says pipes, and a socket cannot be opened by name: `echo x > /dev/stderr` would
 * fail in every script. So named pipes are made inside `folder`, opened, and unlinked at once, some ahead of need.
 */
export function createPipePool(folder: string): PipePool {
  const ready: RawPipe[] = [];
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // The kernel names pipes by their real path, and a run's processes are found by theirs.
  const root = realpathSync(folder);
  let batches = 0;
  let refilling = false;
  const newBatch = (): { readonly place: string; readonly args: readonly string[] } => {
    batches += 1;
    const place = join(root, String(batches));
    mkdirSync(place, { recursive: true, mode: 0o700 });
    return { place, args: ['-m', '600', ...namesIn(place)] };
  };
  const refillNow = (): void => {
    const { place, args } = newBatch();
    if (spawnSync(MAKE_PIPE, args, QUIET).status === 0) ready.push(...openAll(place));
    rmSync(place, { recursive: true, force: true });
  };
  const refillAhead = (): void => {
    refilling = true;
    const { place, args } = newBatch();
    spawn(MAKE_PIPE, args, QUIET)
      .on('error', () => {})
      .on('close', (status) => {
        refilling = false;
        if (status === 0) ready.push(...openAll(place));
        rmSync(place, { recursive: true, force: true });
      });
  };
  const take = (): OutputPipe | undefined => {
    try {
      if (ready.length === 0) refillNow();
      const pipe = ready.shift();
      if (pipe !== undefined && ready.length < BATCH / 2 && !refilling) refillAhead();
      if (pipe === undefined) return undefined;
      const { name, writeFd, readFd } = pipe;
      return { name, writeFd, reader: new Socket({ fd: readFd, readable: true, writable: false }) };
    } catch {
      return undefined;
    }
  };
  return { take };
}

/** A program of POSIX. */
const MAKE_PIPE = 'mkfifo';
const QUIET = { env: { PATH: '/usr/bin:/bin' }, stdio: 'ignore' } as const;

function namesIn(place: string): readonly string[] {
  return Array.from({ length: BATCH }, (_, at) => join(place, String(at)));
}

/** As many as can be opened; none where the machine is out of descriptors. */
function openAll(place: string): readonly RawPipe[] {
  const opened: RawPipe[] = [];
  for (const name of namesIn(place)) {
    try {
      // In this order neither open waits; the writer's end stays in blocking mode, as programs expect.
      const readFd = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
      opened.push({ name, readFd, writeFd: openSync(name, constants.O_WRONLY) });
    } catch {
      break;
    }
  }
  return opened;
}

/** Gives back a pipe that no child was started on. */
export function dropPipe(pipe: OutputPipe): void {
  closeSync(pipe.writeFd);
  pipe.reader.destroy();
}
