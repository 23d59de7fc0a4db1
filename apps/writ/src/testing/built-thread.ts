import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/** The program of a thread, built into a throw-away folder. */
export interface BuiltThread {
  readonly script: URL;
  remove(): Promise<void>;
}

/** The thread that compiles large configurations. */
export const buildPolicyThread = (): Promise<BuiltThread> => buildThread('policy-thread');

/** The thread that classifies commands. */
export const buildCommandThread = (): Promise<BuiltThread> => buildThread('command-thread');

async function buildThread(name: string): Promise<BuiltThread> {
  const folder = await mkdtemp(join(tmpdir(), `writ-${name}-`));
  const outfile = join(folder, `${name}.mjs`);
  await build({
    entryPoints: [fileURLToPath(new URL(`../node/${name}.ts`, import.meta.url))],
    ...{ bundle: true, platform: 'node', target: 'node20', format: 'esm', outfile, logLevel: 'error' },
  });
  return { script: pathToFileURL(outfile), remove: () => rm(folder, { recursive: true }) };
}
