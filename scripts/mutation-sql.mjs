/**
 * `npm run mutation:sql -- PACKAGE [FILE…]`: changes the SQL of a package of stores in small ways, one at a time, and says which
 * changes its unit tests and contracts do not notice. These texts are constants, which `npm run mutation` leaves out. Not
 * part of CI. FILES are those whose statements are changed.
 */
import { importTests, runOne } from './lib/mutant-runner.mjs';
import { oneLine, sqlChanges } from './lib/sql-changes.mjs';
import { ROOT, treeFiles } from './lib/tree.mjs';

const [name, ...files] = process.argv.slice(2);
if (name === undefined) {
  console.error('usage: npm run mutation:sql -- PACKAGE [FILE…]');
  process.exit(2);
}
const sources = `packages/${name}/src`;
const isChanged = (path) =>
  path.startsWith(`${ROOT}/${sources}/`) &&
  !path.endsWith('.test.ts') &&
  (files.length === 0 || files.some((file) => path.endsWith(`/${file}`)));

/** So many statements no test prepares: a change has made it go round for ever. */
const MOST_OF_TEST = 3_000;

/** The statement that is changed, and into what; the test that runs, and how many statements it has prepared. */
const at = { test: undefined, from: undefined, to: undefined, count: 0 };
const usedBy = new Map();
globalThis.__statement__ = (sql) => {
  at.count += 1;
  if (at.count > MOST_OF_TEST) throw new Error('it goes round for ever');
  if (!usedBy.has(sql)) usedBy.set(sql, new Set());
  if (at.test !== undefined) usedBy.get(sql).add(at.test);
  return sql === at.from ? at.to : sql;
};
const { tests, clear } = await importTests(
  ROOT,
  [...treeFiles(`${sources}/*.test.ts`), ...treeFiles('packages/testkit/src/stores/sqlite-stores.test.ts')],
  (path, text) =>
    isChanged(path) ? text.replace(/\.prepare\(([^()]+)\)/g, '.prepare(globalThis.__statement__($1))') : text,
);

for (const test of tests) {
  Object.assign(at, { test, count: 0 });
  const { status, failureMessage } = await runOne(test);
  if (status !== 0) throw new Error(`${test.name} fails without a change: ${failureMessage}`);
}
at.test = undefined;

const unnoticed = [];
let count = 0;
for (const [sql, users] of [...usedBy]) {
  for (const change of sqlChanges(sql)) {
    count += 1;
    Object.assign(at, { from: sql, to: change.sql });
    if (!(await isNoticed(users))) unnoticed.push(`${change.what}\n    ${oneLine(sql)}`);
  }
}
await clear();
if (count === 0) throw new Error('there is nothing to change: no statement was found');
for (const one of unnoticed) console.log(one);
console.log(`${usedBy.size} statements, ${count} changes, ${count - unnoticed.length} noticed`);

async function isNoticed(users) {
  for (const test of users) {
    at.count = 0;
    if ((await runOne(test)).status !== 0) return true;
  }
  return false;
}
