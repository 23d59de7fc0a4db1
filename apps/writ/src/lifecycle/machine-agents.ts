import { readdir } from 'node:fs/promises';
import { type AgentFinder, createAgentFinder, probeSandbox, readSystemView, searchPath } from '@writ/runner';
import type { Environment } from '../env.ts';
import { ownPrograms } from '../node/own-programs.ts';
import { execute } from './machine-sandbox.ts';

/**
 * Agents of this machine, looked for from here and with the PATH of this process: for where no node runs yet. A sandbox is
 * tried once.
 */
export async function lookForAgents({ all }: Pick<Environment, 'all'>): Promise<AgentFinder> {
  const path = searchPath(all.PATH);
  const view = await readSystemView((folder) => readdir(folder));
  const report = await probeSandbox({ view, path, arch: process.arch, execute });
  const programs = ownPrograms(new URL('./spawner.js', import.meta.url));
  return createAgentFinder({ path, programs, execute, sandbox: async () => ({ report, view }) });
}
