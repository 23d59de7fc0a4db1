import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { type Executed, probeSandbox, readSystemView, type SandboxReport, searchPath, TOLD_FD } from '@writ/runner';
import type { Environment } from '../env.ts';

/** Longest that a look may take, milliseconds. */
const LONGEST_MS = 10_000;
const NOTHING = new Uint8Array();

/** What a sandbox of this machine can do, found by starting one from here; for where no node runs yet. */
export async function lookForSandbox({ all }: Pick<Environment, 'all'>): Promise<SandboxReport> {
  const view = await readSystemView((folder) => readdir(folder));
  return probeSandbox({ view, path: searchPath(all.PATH), arch: process.arch, execute });
}

/** Runs an argv to its end from this process, with no environment and these bytes on `TOLD_FD`; never rejects. */
export async function execute(
  [program = '', ...args]: readonly string[],
  told: Uint8Array = NOTHING,
): Promise<Executed> {
  const stdio = Array.from({ length: TOLD_FD + 1 }, (_, fd) => ([1, 2, TOLD_FD].includes(fd) ? 'pipe' : 'ignore'));
  const child = spawn(program, args, { env: {}, timeout: LONGEST_MS, stdio });
  const said = { stdout: '', stderr: '' };
  child.stdout?.on('data', (bytes) => {
    said.stdout += String(bytes);
  });
  child.stderr?.on('data', (bytes) => {
    said.stderr += String(bytes);
  });
  const to = child.stdio.at(TOLD_FD);
  // It may end without having read it.
  if (to instanceof Writable) to.on('error', () => {}).end(told);
  try {
    const [exitCode] = await once(child, 'close');
    return { exitCode: typeof exitCode === 'number' ? exitCode : null, stdout: said.stdout, said: said.stderr };
  } catch (error) {
    return { exitCode: null, stdout: '', said: String(error) };
  }
}
