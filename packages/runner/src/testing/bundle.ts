import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Bundles a TypeScript entry beside this package's sources into `folder`, for a real process to run; its path. */
export async function bundle(entry: string, folder: string): Promise<string> {
  const outfile = join(folder, `${entry.replaceAll(/[^a-z]/g, '-')}.mjs`);
  await build({
    entryPoints: [fileURLToPath(new URL(`../${entry}`, import.meta.url))],
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    outfile,
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'error',
  });
  return outfile;
}
