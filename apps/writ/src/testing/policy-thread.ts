import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/** The program of the thread that compiles large configurations, built into a throw-away folder. */
export interface BuiltThread {
  readonly script: URL;
  remove(): Promise<void>;
}

export async function buildPolicyThread(): Promise<BuiltThread> {
  const folder = await mkdtemp(join(tmpdir(), 'writ-policy-thread-'));
  const outfile = join(folder, 'policy-thread.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('../node/policy-thread.ts', import.meta.url))],
    ...{ bundle: true, platform: 'node', target: 'node20', format: 'esm', outfile, logLevel: 'error' },
  });
  return { script: pathToFileURL(outfile), remove: () => rm(folder, { recursive: true }) };
}
