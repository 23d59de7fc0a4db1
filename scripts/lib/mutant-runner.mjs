/**
 * A test runner for Stryker: the unit tests of one package, bundled once with the changed code in them, run in this
 * process for each change. Starting vitest anew for each of some thousands of changes takes fifty times as long.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { commonTokens, declareFactoryPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import { build } from 'esbuild';

/** The name under which changed code looks for what is to be tried. */
const SWITCH = '__stryker__';

/** Modules keep their own address although they end up in one file. */
const ownAddress = (rewrite) => ({
  name: 'own-address',
  setup(builder) {
    builder.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = rewrite(path, await readFile(path, 'utf8'));
      return { loader: 'ts', contents: text.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)) };
    });
  },
});

/** The tree's own packages are bundled from this copy of it; a link in node_modules would lead to the unchanged one. */
function ownPackage(root, path) {
  const [, name, rest] = /^@writ\/([^/]+)(.*)$/.exec(path);
  const folder = join(root, 'packages', name);
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return { path: join(folder, exports[`.${rest}`]) };
}

function outside(root, collector) {
  return {
    name: 'outside',
    setup(builder) {
      builder.onResolve({ filter: /^@writ\// }, ({ path }) => ownPackage(root, path));
      builder.onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
        if (kind === 'entry-point' || path.startsWith('file-end:')) return undefined;
        return { path: path === 'vitest' ? pathToFileURL(collector).href : path, external: true };
      });
    },
  };
}

/** Between two files: hooks of one are none of the other. */
const fileEnds = {
  name: 'file-ends',
  setup(builder) {
    builder.onResolve({ filter: /^file-end:/ }, ({ path }) => ({ path, namespace: 'file-end' }));
    builder.onLoad({ filter: /./, namespace: 'file-end' }, () => ({
      contents: "import { nextFile } from 'vitest'; nextFile();",
      resolveDir: process.cwd(),
    }));
  },
};

/**
 * The tests of `files`, below `root`, and how to clear away what they stood on; `rewrite` gives the text of each module of
 * the tree by its path.
 */
export async function importTests(root, files, rewrite = (_path, text) => text) {
  const collector = join(root, 'scripts/lib/test-collector.mjs');
  const folder = join(root, 'reports/mutant-tests');
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, `${process.pid}.mjs`);
  try {
    await build({
      stdin: {
        contents: files.map((file) => `import './${file}';\nimport 'file-end:${file}';`).join('\n'),
        resolveDir: root,
        loader: 'ts',
      },
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'warning',
      plugins: [fileEnds, outside(root, collector), ownAddress(rewrite)],
    });
    await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(outfile, { force: true });
  }
  const { collected, clear } = await import(pathToFileURL(collector).href);
  return { tests: collected(), clear };
}

/** Where changed code reads which change is on, and counts what it covers. */
function switches() {
  globalThis[SWITCH] ??= {};
  return globalThis[SWITCH];
}

/** Runs one test: status 0 where it holds, else 1 and why not. */
export async function runOne({ id, name, run }) {
  const from = performance.now();
  const result = (more) => ({ id, name, timeSpentMs: performance.now() - from, ...more });
  try {
    await run();
    return result({ status: 0 });
  } catch (error) {
    return result({ status: 1, failureMessage: error instanceof Error ? error.message : String(error) });
  }
}

async function dryRun(tests) {
  const on = switches();
  const results = [];
  for (const test of tests) {
    on.currentTestId = test.id;
    results.push(await runOne(test));
  }
  on.currentTestId = undefined;
  // Quick tests first from here on: most changes are noticed by one of them.
  const spent = new Map(results.map(({ id, timeSpentMs }) => [id, timeSpentMs]));
  tests.sort((a, b) => (spent.get(a.id) ?? 0) - (spent.get(b.id) ?? 0));
  return { status: 'complete', tests: results, mutantCoverage: on.mutantCoverage };
}

/** Ends at the first test that notices the change. */
async function mutantRun(tests, { activeMutant, testFilter, hitLimit }) {
  const on = switches();
  const wanted = new Set(testFilter ?? tests.map(({ id }) => id));
  Object.assign(on, { activeMutant: activeMutant.id, hitCount: 0, hitLimit });
  let nrOfTests = 0;
  let failed;
  for (const test of tests.filter(({ id }) => wanted.has(id))) {
    nrOfTests++;
    const result = await runOne(test);
    if (result.status !== 0) failed = result;
    // Changes of one place follow each other: what noticed this one is the first to look at the next.
    if (failed) tests.unshift(...tests.splice(tests.indexOf(test), 1));
    if (failed || on.hitCount > hitLimit) break;
  }
  const isEndless = on.hitCount > hitLimit;
  Object.assign(on, { activeMutant: undefined, hitCount: undefined });
  if (isEndless) return { status: 'timeout', reason: 'it goes round for ever' };
  if (failed) return { status: 'killed', killedBy: [failed.id], failureMessage: failed.failureMessage, nrOfTests };
  return { status: 'survived', nrOfTests };
}

function createRunner(options) {
  const { files } = options.mutantTests;
  let tests = [];
  let clear = async () => {};
  return {
    // Changes of what runs while modules load are left out, so that no change asks for loading them anew.
    capabilities: () => ({ reloadEnvironment: true }),
    async init() {
      ({ tests, clear } = await importTests(process.cwd(), files));
    },
    dispose: () => clear(),
    dryRun: () => dryRun(tests),
    mutantRun: (run) => mutantRun(tests, run),
  };
}
createRunner.inject = [commonTokens.options];

/** Stryker's own check of options knows this one too. */
export const strykerValidationSchema = {
  type: 'object',
  properties: { mutantTests: { type: 'object', properties: { files: { type: 'array', items: { type: 'string' } } } } },
};

export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, 'in-process', createRunner)];
