import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { ROOT } from './tree.mjs';

/** The packages of this tree are bundled in, everything else is loaded from node_modules. */
const workspaceInside = {
  name: 'workspace-inside',
  setup(builder) {
    builder.onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || path.startsWith('@writ/') ? undefined : { path, external: true },
    );
  },
};

/** A module that asks where it lies is told where its source lies, not the bundle. */
const ownPlace = {
  name: 'own-place',
  setup(builder) {
    builder.onLoad({ filter: /[.]ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)),
      loader: 'ts',
    }));
  },
};

/**
 * Bundles a TypeScript module of this tree for the running Node.js and hands the file's path to `use`; the file is
 * removed afterwards. It lies inside node_modules, so that imports resolve and nothing else finds it.
 */
export async function withBundle(entry, use) {
  const cache = join(ROOT, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'writ-run-'));
  const outfile = join(folder, 'main.mjs');
  try {
    await build({
      entryPoints: [join(ROOT, entry)],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: `node${process.versions.node}`,
      sourcemap: 'inline',
      logLevel: 'warning',
      plugins: [workspaceInside, ownPlace],
    });
    return await use(outfile);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Imports a TypeScript module of this tree, `entry` relative to the root. */
export function loadTs(entry) {
  return withBundle(entry, (file) => import(pathToFileURL(file).href));
}
