/**
 * Dependencies: exact pins, a complete lockfile, licences that may be shipped, sherif's rules for monorepos, and a row
 * with version, licence and purpose for each direct one in docs/dependencies.md (`--write` brings the rows up to date
 * and leaves the purpose of a new one empty, which is a complaint until somebody says what it is for).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bin, conclude, run } from './lib/run.mjs';
import { ROOT, treeFiles } from './lib/tree.mjs';

const TABLE = join(ROOT, 'docs/dependencies.md');
const EXACT = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/;
const LICENCES =
  /^(Apache-2\.0|MIT|MIT-0|ISC|0BSD|BSD-2-Clause|BSD-3-Clause|BlueOak-1\.0\.0|CC0-1\.0|Python-2\.0|Unlicense|Zlib)$/;
/** Tools that never leave this machine may be under the file-level copyleft of MPL. */
const LICENCES_OF_TOOLS = /^(MPL-2\.0|CC-BY-3\.0|CC-BY-4\.0)$/;

const json = (path) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
const lock = json('package-lock.json').packages;

/** Direct third-party dependencies: name → `{ version, users, tool }`. */
function directDependencies() {
  const direct = new Map();
  const complaints = [];
  for (const path of treeFiles('package.json', 'packages/*/package.json', 'apps/*/package.json')) {
    const { name, dependencies = {}, devDependencies = {} } = json(path);
    for (const [dependency, version] of Object.entries({ ...devDependencies, ...dependencies })) {
      if (dependency.startsWith('@writ/')) {
        if (version !== '*') complaints.push(`${path}: ${dependency} is in this tree; write "*"`);
        continue;
      }
      if (!EXACT.test(version)) complaints.push(`${path}: ${dependency} ${version} is not an exact version`);
      const entry = direct.get(dependency) ?? { version, users: [], tool: true };
      entry.users.push(name.replace('@writ/', '').replace('writ-monorepo', 'repository').replace(/^cli$/, 'apps/writ'));
      entry.tool &&= !Object.hasOwn(dependencies, dependency) && !isBundled(path, dependency);
      direct.set(dependency, entry);
    }
  }
  return { direct, complaints };
}

/** What apps/writ is built from is shipped within its bundle, though whoever installs that needs none of it. */
function isBundled(path, dependency) {
  return path === 'apps/writ/package.json' && !dependency.startsWith('@types/');
}

/** True when the licence expression can be met with allowed licences: all of an AND, one of an OR. */
function allowed(expression, tool) {
  const parts = expression.replaceAll(/[()]/g, '').split(/ OR /);
  const fine = (name) => LICENCES.test(name) || (tool && LICENCES_OF_TOOLS.test(name));
  return parts.some((part) => part.split(/ AND /).every((name) => fine(name.trim())));
}

function lockComplaints() {
  const complaints = [];
  for (const [path, entry] of Object.entries(lock)) {
    if (!path.includes('node_modules/') || entry.link) continue;
    if (!entry.integrity) complaints.push(`package-lock.json: ${path} has no integrity`);
    if (!allowed(entry.license ?? 'none', entry.dev || entry.devOptional)) {
      complaints.push(
        `package-lock.json: ${path} has the licence ${entry.license ?? 'none'}, which is not in the list`,
      );
    }
    for (const name of Object.keys(entry.optionalDependencies ?? {})) {
      const nested = `${path}/node_modules/${name}`;
      if (!lock[nested] && !lock[`node_modules/${name}`]) {
        complaints.push(`package-lock.json: ${path} wants ${name}, which another platform would miss`);
      }
    }
  }
  return complaints;
}

/** `npm ci` refuses a lockfile that does not say what the manifests say; better to hear it here. */
function manifestComplaints() {
  return treeFiles('package.json', 'packages/*/package.json', 'apps/*/package.json').flatMap((path) => {
    const locked = lock[path.replace(/\/?package\.json$/, '')] ?? {};
    const manifest = json(path);
    return ['dependencies', 'devDependencies']
      .filter((kind) => JSON.stringify(sorted(manifest[kind])) !== JSON.stringify(sorted(locked[kind])))
      .map((kind) => `package-lock.json: the ${kind} of ${path} have changed: npm install --package-lock-only`);
  });
}

function sorted(record = {}) {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}

function licenceOf(name, users) {
  const inWorkspace = users.map((user) => lock[`packages/${user}/node_modules/${name}`]).find(Boolean);
  return (inWorkspace ?? lock[`node_modules/${name}`])?.license ?? 'none';
}

/** Rows of the table as they should be; purposes come from the page itself. */
function tableRows(direct, page) {
  const purposes = new Map(
    [...page.matchAll(/^\| `([^`]+)` \|.*\| ([^|]*) \|$/gm)].map(([, name, purpose]) => [name, purpose.trim()]),
  );
  const row = ([name, { version, users }]) =>
    `| \`${name}\` | ${version} | ${licenceOf(name, users)} | ${[...new Set(users)].sort().join(', ')} | ${purposes.get(name) ?? ''} |`;
  const rows = [...direct].sort(([a], [b]) => (a < b ? -1 : 1));
  const head = '| package | version | licence | used by | what for |\n|---|---|---|---|---|\n';
  return {
    shipped:
      head +
      rows
        .filter(([, { tool }]) => !tool)
        .map(row)
        .join('\n'),
    tools:
      head +
      rows
        .filter(([, { tool }]) => tool)
        .map(row)
        .join('\n'),
    unexplained: rows.filter(([name]) => !purposes.get(name)).map(([name]) => name),
  };
}

function withTable(page, name, table) {
  const between = new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*?(\\n<!-- /${name} -->)`);
  return page.replace(between, (_, open, close) => `${open}\n${table}\n${close}`);
}

const { direct, complaints } = directDependencies();
const page = readFileSync(TABLE, 'utf8');
const { shipped, tools, unexplained } = tableRows(direct, page);
const wanted = withTable(withTable(page, 'shipped', shipped), 'tools', tools);
if (process.argv.includes('--write')) writeFileSync(TABLE, wanted);
else if (wanted !== page) complaints.push('docs/dependencies.md is out of date: npm run dependencies:check -- --write');
complaints.push(
  ...unexplained.map((name) => `docs/dependencies.md: say what ${name} is for`),
  ...lockComplaints(),
  ...manifestComplaints(),
);
const sherif = await run(bin('sherif'), ['--fail-on-warnings']);
if (sherif.status !== 0) complaints.push(sherif.output.trim());
conclude('dependencies', complaints, `${direct.size} direct, ${Object.keys(lock).length} locked, exact and licensed`);
