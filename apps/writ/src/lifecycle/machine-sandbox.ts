import { readdir } from 'node:fs/promises';
import { type Executed, probeSandbox, readSystemView, type SandboxReport, searchPath, TOLD_FD } from '@writ/runner';
import type { Environment } from '../env.ts';
import { runProgram } from '../run-program.ts';

/** Longest that a look may take, milliseconds. */
const LONGEST_MS = 10_000;
const NOTHING = new Uint8Array();

/** What a sandbox of this machine can do, found by starting one from here; for where no node runs yet. */
export async function lookForSandbox({ all }: Pick<Environment, 'all'>): Promise<SandboxReport> {
  const view = await readSystemView((folder) => readdir(folder));
  return probeSandbox({ view, path: searchPath(all.PATH), arch: process.arch, execute });
}

/** Runs an argv to its end from this process, with no environment and these bytes on `TOLD_FD`; never rejects. */
export function execute(argv: readonly string[], bytes: Uint8Array = NOTHING): Promise<Executed> {
  return runProgram(argv, { environment: {}, timeoutMs: LONGEST_MS, told: { fd: TOLD_FD, bytes } });
}
