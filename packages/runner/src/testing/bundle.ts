import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Put together, so that whoever bundles this file leaves it alone. */
const ITS_PLACE = ['import', 'meta', 'url'].join('.');

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
    banner: { js: `import { createRequire } from 'node:module'; const require = createRequire(${ITS_PLACE});` },
    logLevel: 'error',
  });
  return outfile;
}
