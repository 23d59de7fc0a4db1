import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Runs a program to its end and resolves with what it wrote to its standard output. Rejects unless its status is 0. */
export async function runToEnd(command: string, args: readonly string[], options: SpawnOptions = {}): Promise<string> {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
  const [status, signal] = await once(child, 'close');
  if (status === 0) return Buffer.concat(out).toString('utf8');
  throw new Error(
    `${command} ${args.join(' ')} ended with ${status ?? signal}: ${Buffer.concat(err).toString('utf8').trim()}`,
  );
}

/** Ends a child by its pid and waits until it is gone. */
export async function endChild(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
}

/** Calls `probe` until it resolves, `tries` times at most, with a pause after each failure. Rejects with its last error. */
export async function eventually<T>(tries: number, pauseMs: number, probe: () => Promise<T>): Promise<T> {
  for (let left = tries; ; left--) {
    try {
      return await probe();
    } catch (error) {
      if (left <= 1) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}
