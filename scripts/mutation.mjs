/**
 * `npm run mutation -- PACKAGE [FILE…]`: changes the code of a package in small ways, one at a time, and says which
 * changes its unit tests do not notice. Not part of CI: it takes long. FILES are below the package's `src`; those that end
 * in `.test.ts` are the only tests that run. `apps/NAME` is an application.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bin } from './lib/run.mjs';
import { ROOT, treeFiles } from './lib/tree.mjs';

const [name, ...files] = process.argv.slice(2);
if (name === undefined) {
  console.error('usage: npm run mutation -- PACKAGE [FILE…]');
  process.exit(2);
}

const folder = name.includes('/') ? name : `packages/${name}`;
const sources = `${folder}/src`;
const [chosen, changed] = [true, false].map((isTest) =>
  files.filter((file) => file.endsWith('.test.ts') === isTest).map((file) => `${sources}/${file}`),
);
const mutate = changed.length > 0 ? changed : [`${sources}/**/*.ts`];
const cache = join(ROOT, 'node_modules/.cache/mutation');
mkdirSync(cache, { recursive: true });
mkdirSync(join(ROOT, 'reports'), { recursive: true });

// Only the unit tests of the package: what others notice proves nothing about them, and properties that are tried a
// thousand times would be tried again for each change. A package of stores has its tests in the contract suites.
const PROVED = /(properties|proof|races|kills)\.test\.ts$/;
const ownTests = treeFiles(`${sources}/*.test.ts`).filter((file) => !PROVED.test(file));
const contracts = name.endsWith('-store') ? treeFiles('packages/testkit/src/stores/*.test.ts') : [];
const unitTests = chosen.length > 0 ? chosen : [...ownTests, ...contracts];

writeFileSync(
  join(cache, 'stryker.config.json'),
  JSON.stringify({
    testRunner: 'in-process',
    plugins: [join(ROOT, 'scripts/lib/mutant-runner.mjs')],
    mutantTests: { files: unitTests },
    // Rules that are data are tested by their examples; models are tests themselves.
    mutate: [...mutate, '!**/*.test.ts', '!**/testing/**', '!**/fixture.ts', '!**/packs/**', '!**/index.ts'],
    ignorePatterns: ['reports', '**/dist'],
    tempDirName: 'reports/mutants',
    // It would rewrite tsconfig.json with an interface that TypeScript 7 no longer has.
    tsconfigFile: 'none.json',
    ignoreStatic: true,
    testRunnerNodeArgs: ['--max-old-space-size=1024'],
    concurrency: 2,
    // A change that goes round for ever is counted out by its hits; a busy machine is no reason to call it noticed.
    timeoutMS: 600_000,
    reporters: ['clear-text', 'json', 'progress-append-only'],
    jsonReporter: { fileName: `reports/mutation-${name.replaceAll('/', '-')}.json` },
    clearTextReporter: { allowColor: false, reportTests: false, logTests: false },
    thresholds: { high: 95, low: 90, break: 90 },
  }),
);
const child = spawn(bin('stryker'), ['run', join(cache, 'stryker.config.json')], { cwd: ROOT, stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
const [status] = await once(child, 'close');
rmSync(cache, { recursive: true, force: true });
process.exitCode = status ?? 1;
