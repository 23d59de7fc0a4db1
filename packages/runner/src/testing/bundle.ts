import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Bundles a TypeScript entry into `folder`, for a real process to run; its path. */
export async function bundle(entry: URL, folder: string): Promise<string> {
  const outfile = join(folder, `${basename(entry.pathname, '.ts')}.mjs`);
  await build({
    entryPoints: [fileURLToPath(entry)],
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
