import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Writable } from 'node:stream';
import type { Executed } from '@writ/runner';

/** Characters of each kind of output that are kept. */
const MOST_KEPT = 1024 * 1024;

/** How a program is run. */
export interface ProgramOptions {
  /** All that it gets. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Longest that it may take, milliseconds. */
  readonly timeoutMs: number;
  /** Bytes that it can read from a descriptor above 2. */
  readonly told?: { readonly fd: number; readonly bytes: Uint8Array };
}

/** Runs an argv to its end with nothing on its input; `exitCode` is null where it did not start, or was ended. Never rejects. */
export async function runProgram(
  [program = '', ...args]: readonly string[],
  { environment, timeoutMs, told }: ProgramOptions,
): Promise<Executed> {
  const highest = told?.fd ?? 2;
  const stdio = Array.from({ length: highest + 1 }, (_, fd) => ([1, 2, told?.fd].includes(fd) ? 'pipe' : 'ignore'));
  const child = spawn(program, args, { env: environment as NodeJS.ProcessEnv, timeout: timeoutMs, stdio });
  const kept = { stdout: '', said: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    if (kept.stdout.length < MOST_KEPT) kept.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    if (kept.said.length < MOST_KEPT) kept.said += text;
  });
  const to = told === undefined ? undefined : child.stdio.at(told.fd);
  // It may end without having read it.
  if (to instanceof Writable) to.on('error', () => {}).end(told?.bytes);
  try {
    const [exitCode] = await once(child, 'close');
    return { exitCode: typeof exitCode === 'number' ? exitCode : null, ...kept };
  } catch (error) {
    return { exitCode: null, stdout: '', said: String(error) };
  }
}
