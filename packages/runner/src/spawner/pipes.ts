import { spawn, spawnSync } from 'node:child_process';
import { closeSync, constants, mkdirSync, openSync, readSync, realpathSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { hasErrno } from '@writ/core';
import type { Lifeline } from '../process-tree/lifeline.ts';

/** One pipe: `writeFd` is handed to a child and then closed here; `reader` gives what comes out. */
export interface OutputPipe {
  /** Absolute path that it was made under. */
  readonly name: string;
  readonly writeFd: number;
  readonly reader: Socket;
}

/** What a run is connected by; every `writeFd` is handed to its process and then closed here. */
export interface RunPipes {
  readonly stdout: OutputPipe;
  readonly stderr: OutputPipe;
  readonly lifeline: Lifeline & { readonly writeFd: number };
}

/** Real pipes for children. */
export interface PipePool {
  /** Fresh pipes, or undefined where this machine cannot make any. */
  take(): RunPipes | undefined;
  /** Resolves once no more are under way: whoever ends before that leaves their folder behind. */
  settled(): Promise<void>;
}

/** Pipes of one run. */
const EACH = 3;
/** Pipes made at once; each costs two descriptors until it is taken. */
const BATCH = 8 * EACH;

interface RawPipe {
  readonly name: string;
  readonly readFd: number;
  readonly writeFd: number;
}

/**
 * Node.js gives a child sockets where it says pipes, and a socket cannot be opened by name: `echo x > /dev/stderr` would
 * fail in every script. So named pipes are made inside `folder`, opened, and unlinked at once, some ahead of need. Their
 * names there begin with `label`.
 */
export function createPipePool(folder: string, label: string): PipePool {
  const ready: RawPipe[] = [];
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // The kernel names pipes by their real path, and a run's processes are found by theirs.
  const root = realpathSync(folder);
  let batches = 0;
  let refilling: Promise<void> | undefined;
  const newBatch = (): { readonly place: string; readonly args: readonly string[] } => {
    batches += 1;
    const place = join(root, `${label}-${batches}`);
    mkdirSync(place, { recursive: true, mode: 0o700 });
    return { place, args: ['-m', '600', ...namesIn(place)] };
  };
  const refillNow = (): void => {
    const { place, args } = newBatch();
    if (spawnSync(MAKE_PIPE, args, QUIET).status === 0) ready.push(...openAll(place));
    rmSync(place, { recursive: true, force: true });
  };
  const refillAhead = async (): Promise<void> => {
    const { place, args } = newBatch();
    const status = await new Promise<number | null>((resolve) => {
      // `close` follows an `error` too.
      spawn(MAKE_PIPE, args, QUIET)
        .on('error', () => {})
        .on('close', resolve);
    });
    if (status === 0) ready.push(...openAll(place));
    rmSync(place, { recursive: true, force: true });
    refilling = undefined;
  };
  const take = (): RunPipes | undefined => {
    try {
      if (ready.length < EACH) refillNow();
      if (ready.length < EACH) return undefined;
      const [stdout, stderr, lifeline] = ready.splice(0, EACH);
      if (ready.length < BATCH / 2) refilling ??= refillAhead();
      if (stdout === undefined || stderr === undefined || lifeline === undefined) return undefined;
      return { stdout: outputPipe(stdout), stderr: outputPipe(stderr), lifeline: createLifeline(lifeline) };
    } catch {
      return undefined;
    }
  };
  return { take, settled: () => refilling ?? Promise.resolve() };
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

function outputPipe({ name, writeFd, readFd }: RawPipe): OutputPipe {
  return { name, writeFd, reader: new Socket({ fd: readFd, readable: true, writable: false }) };
}

/** Reads of what somebody wrote into a lifeline, against the rules, until it counts as held anyway. */
const READS = 16;

function createLifeline({ name, writeFd, readFd }: RawPipe): RunPipes['lifeline'] {
  const dropped = Buffer.allocUnsafe(4096);
  let closed = false;
  return {
    name,
    writeFd,
    isHeld() {
      if (closed) return false;
      try {
        for (let reads = 0; reads < READS; reads += 1) if (readSync(readFd, dropped) === 0) return false;
        return true;
      } catch (error) {
        // Anything else would be a fault of ours that must not hold a run up.
        return hasErrno(error, 'EAGAIN');
      }
    },
    close() {
      if (!closed) closeSync(readFd);
      closed = true;
    },
  };
}

/** Gives back the pipes that no child was started on. */
export function dropPipes({ stdout, stderr, lifeline }: RunPipes): void {
  closeWriters({ stdout, stderr, lifeline });
  stdout.reader.destroy();
  stderr.reader.destroy();
  lifeline.close();
}

/** To be called as soon as a child has its ends. */
export function closeWriters({ stdout, stderr, lifeline }: RunPipes): void {
  for (const { writeFd } of [stdout, stderr, lifeline]) closeSync(writeFd);
}
