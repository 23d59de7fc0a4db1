import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { type Executed, probeSandbox, readSystemView, type SandboxReport, searchPath } from '@writ/runner';
import type { Environment } from '../env.ts';

/** Longest that a look may take, milliseconds. */
const LONGEST_MS = 10_000;

/** What a sandbox of this machine can do, found by starting one from here; for where no node runs yet. */
export async function lookForSandbox({ all }: Pick<Environment, 'all'>): Promise<SandboxReport> {
  const view = await readSystemView((folder) => readdir(folder));
  return probeSandbox({ view, path: searchPath(all.PATH), execute });
}

/** Runs an argv to its end from this process, with no environment; never rejects. */
export function execute([program = '', ...args]: readonly string[]): Promise<Executed> {
  return new Promise((resolve) => {
    execFile(program, args, { env: {}, timeout: LONGEST_MS }, (error, stdout, stderr) => {
      const exitCode = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
      resolve({ exitCode, stdout, said: stderr === '' ? String(error ?? '') : stderr });
    });
  });
}
