// Bundles the command line, the node and the spawner: few files to load, so that `writ` starts fast.
import { copyFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { keepCompiled } from './keep-compiled.cjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

// Built beside, then put in place: whoever runs `writ` meanwhile finds the old one or the new one.
const fresh = here(`dist-${process.pid}`);
const old = here(`dist-${process.pid}-old`);

const shared = {
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  outdir: fresh,
  sourcemap: 'linked',
  logLevel: 'warning',
  legalComments: 'none',
};

// CommonJS packages inside an ES module bundle still call `require` for Node's own modules.
const banner = {
  js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
};

await build({
  ...shared,
  entryPoints: { writ: here('src/cli/main.ts'), node: here('src/node/main.ts') },
  splitting: true,
  // Beside the entries: `new URL('./node.js', import.meta.url)` must mean the same from every chunk.
  chunkNames: 'chunk-[hash]',
  // Native; the one thing that is installed beside the bundle.
  external: ['better-sqlite3'],
  // Its main file asks for its parts in a way that no bundler follows.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  banner,
});

// The commands that start most often: one file, without the others' definitions and without chunks to look for.
await build({
  ...shared,
  entryPoints: { delegate: here('src/cli/main-delegate.ts') },
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  splitting: false,
});

// What V8 makes of that file is kept beside it; what it goes through most is compiled by a call that finds no node.
keepCompiled(`${fresh}/delegate.cjs`, ['--home', `${fresh}/none`, 'delegate', '--peer', 'self', '--', 'true']);

// Each alone in its file. The spawner must be small, and fork from almost nothing; the thread that compiles large
// configurations has little to load for the one answer that it is there for.
await build({
  ...shared,
  entryPoints: {
    spawner: here('../../packages/runner/src/spawner/main.ts'),
    'policy-thread': here('src/node/policy-thread.ts'),
    'command-thread': here('src/node/command-thread.ts'),
  },
  splitting: false,
});

// The shell grammar, read at run time from beside the bundle: see src/shell-grammar.ts.
const { resolve } = createRequire(here('../../packages/policy/package.json'));
for (const file of ['web-tree-sitter/web-tree-sitter.wasm', 'tree-sitter-bash/tree-sitter-bash.wasm']) {
  await copyFile(resolve(file), `${fresh}/${file.split('/')[1]}`);
}

await rename(here('dist'), old).catch((error) => {
  if (error.code !== 'ENOENT') throw error;
});
await rename(fresh, here('dist'));
await rm(old, { recursive: true, force: true });
