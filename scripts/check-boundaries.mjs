/**
 * Import boundaries: the tree must keep them, and a canary that breaks each of them must be reported, so that a
 * checker that sees nothing cannot pass. The count of workspace imports is taken a second time from the text. Tables have
 * owners as modules have: SQL of one package that names a table of another is an arrow that no import shows.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cruise } from 'dependency-cruiser';
import config from '../.dependency-cruiser.mjs';
import { conclude } from './lib/run.mjs';
import { foreignTablesIn, TABLES, tablesMadeIn, unownedTables } from './lib/sql-tables.mjs';
import { isTestCode, ROOT, treeFiles } from './lib/tree.mjs';

/** What is cruised: the sources that git knows, and not what a test run has just put beside them. */
const SOURCES = ['packages/*/src/*.ts', 'apps/*/src/*.ts', 'test/*.ts'];

/** Files of a small monorepo that breaks the rules, and what must be said about it. */
const CANARY = {
  'packages/core/src/index.ts': "export { a } from './a.ts';\n",
  'packages/core/src/a.ts': "import { b } from './b.ts';\nexport const a = () => b;\n",
  'packages/core/src/b.ts': "import { a } from './a.ts';\nexport const b = () => a;\n",
  'packages/core/src/upwards.ts': "import type { D } from '@writ/delegation';\nexport type U = D;\n",
  'packages/delegation/src/index.ts': "export { d, type D } from './d.ts';\n",
  'packages/delegation/src/d.ts':
    "import { a } from '@writ/core';\nexport type D = string;\nexport const d = () => a;\n",
  'packages/delegation/src/deep.ts': "import { a } from '../../core/src/a.ts';\nexport const deep = () => a;\n",
  'packages/delegation/src/lazy.ts': "export const lazy = () => import('@writ/runner');\n",
  'packages/delegation/src/testing.ts': "import { t } from '@writ/testkit';\nexport const testing = t;\n",
  'packages/delegation/src/testing/helper.ts': 'export const helper = 1;\n',
  'packages/delegation/src/helped.ts': "import { helper } from './testing/helper.ts';\nexport const helped = helper;\n",
  'packages/runner/src/index.ts': 'export const r = 1;\n',
  'packages/testkit/src/index.ts': 'export const t = 1;\n',
  'packages/policy/src/index.ts': "import { readFileSync } from 'node:fs';\nexport const read = readFileSync;\n",
  'packages/runner/src/table.ts': "import { Kysely } from 'kysely';\nexport const table = Kysely;\n",
  'node_modules/kysely/package.json': '{ "name": "kysely", "version": "0.0.0", "main": "./index.js" }',
  'node_modules/kysely/index.js': 'exports.Kysely = 1;\n',
  'packages/policy/src/lost.ts': "import { x } from './nowhere.ts';\nexport const lost = x;\n",
};
const EXPECTED = [
  'circle packages/core/src/a.ts',
  'arrow-core packages/core/src/upwards.ts',
  'through-the-exports packages/delegation/src/deep.ts',
  'arrow-delegation packages/delegation/src/lazy.ts',
  'testkit-in-tests-only packages/delegation/src/testing.ts',
  'test-files-are-leaves packages/delegation/src/helped.ts',
  'pure-policy packages/policy/src/index.ts',
  'only-sqlite packages/runner/src/table.ts',
  'unresolvable packages/policy/src/lost.ts',
];
/** A rule that complained about this clean edge would be wrong, not strict. */
const CLEAN_EDGE = { source: 'packages/delegation/src/d.ts', resolved: 'packages/core/src/index.ts' };

/** SQL of the package `lease-store`: each of the first names a table of somebody else, none of the others does. */
const FOREIGN_SQL = [
  'SELECT 1 FROM task WHERE id = ?',
  'UPDATE OR IGNORE mirror SET state = ?',
  'INSERT INTO leftover (kind) VALUES (?)',
  'DELETE FROM question',
  'SELECT 1 FROM session JOIN task_event ON 1',
  "db.selectFrom('audit')",
];
const OWN_SQL = [
  'DELETE FROM session_holder',
  'INSERT INTO node_fact VALUES (1) ON CONFLICT (key) DO UPDATE SET value = 1',
  'that is asked from task to task',
  'SELECT value FROM json_each(?)',
];

async function violationsIn(baseDir, folders) {
  const { enhancedResolveOptions, ...options } = config.options;
  const before = process.cwd();
  process.chdir(baseDir);
  try {
    const { output } = await cruise(
      folders,
      { ...options, baseDir, validate: true, ruleSet: { forbidden: config.forbidden } },
      { ...enhancedResolveOptions, bustTheCache: true },
    );
    return output;
  } finally {
    process.chdir(before);
  }
}

function writeCanary() {
  const folder = mkdtempSync(join(tmpdir(), 'writ-canary-'));
  mkdirSync(join(folder, 'node_modules/@writ'), { recursive: true });
  for (const [path, text] of Object.entries(CANARY)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  for (const name of new Set(Object.keys(CANARY).map((path) => /^packages\/([^/]+)/.exec(path)?.[1] ?? 'core'))) {
    const manifest = { name: `@writ/${name}`, version: '0.0.0', type: 'module', exports: { '.': './src/index.ts' } };
    writeFileSync(join(folder, 'packages', name, 'package.json'), JSON.stringify(manifest));
    symlinkSync(join(folder, 'packages', name), join(folder, 'node_modules/@writ', name));
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'canary', workspaces: ['packages/*'] }));
  return folder;
}

async function canaryComplaints() {
  const folder = writeCanary();
  try {
    const { summary, modules } = await violationsIn(folder, ['packages']);
    const seen = new Set(summary.violations.map(({ rule, from }) => `${rule.name} ${from}`));
    const missed = EXPECTED.filter((expected) => !seen.has(expected));
    const wrong = summary.violations.filter(({ from }) => from === CLEAN_EDGE.source);
    const followed = modules
      .find(({ source }) => source === CLEAN_EDGE.source)
      ?.dependencies.some(({ resolved }) => resolved === CLEAN_EDGE.resolved);
    return [
      ...missed.map((expected) => `canary: not reported: ${expected}`),
      ...wrong.map(({ rule, from }) => `canary: reported without reason: ${rule.name} ${from}`),
      ...(followed ? [] : ['canary: the edge through node_modules to packages/core/src/index.ts was not followed']),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Workspace imports that stand in the text, each as `file specifier`. */
function importsInText() {
  const found = new Set();
  for (const path of treeFiles(...SOURCES)) {
    const text = readFileSync(join(ROOT, path), 'utf8');
    for (const [, specifier] of text.matchAll(/^(?:import|export|\} from)\b[^'"`;]*?['"](@writ\/[^'"]+)['"];?$/gm)) {
      found.add(`${path} ${specifier}`);
    }
  }
  return found;
}

async function treeComplaints() {
  const { summary, modules } = await violationsIn(ROOT, treeFiles(...SOURCES));
  const followed = new Set();
  for (const { source, dependencies } of modules) {
    for (const { module, resolved } of dependencies) {
      if (module.startsWith('@writ/') && resolved.startsWith('packages/')) followed.add(`${source} ${module}`);
    }
  }
  const unseen = [...importsInText()].filter((edge) => !followed.has(edge));
  const complaints = [
    ...summary.violations.map(({ rule, from, to, cycle }) => {
      const comment = config.forbidden.find(({ name }) => name === rule.name)?.comment;
      return `${rule.name}: ${from} → ${cycle ? cycle.map(({ name }) => name).join(' → ') : to} (${comment})`;
    }),
    ...unseen.map((edge) => `in the text but not in the graph: ${edge}`),
    ...(followed.size === 0 ? ['the graph has no workspace edge at all'] : []),
  ];
  return { complaints, files: summary.totalCruised, edges: followed.size };
}

/** SQL that names what another package owns, and tables that nobody owns. */
function tableComplaints() {
  const home = 'packages/database/src/migrations/*.ts';
  const textOf = (path) => readFileSync(join(ROOT, path), 'utf8');
  const programs = treeFiles('packages/*/src/*.ts', 'apps/*/src/*.ts', `:!${home}`).filter((path) => !isTestCode(path));
  const found = programs.flatMap((path) =>
    foreignTablesIn(path, textOf(path)).map(
      ({ line, table, owner }) => `${path}:${line}: table ${table} is ${owner}'s: ask it through its store`,
    ),
  );
  const made = treeFiles(home)
    .filter((path) => !isTestCode(path))
    .flatMap((path) => tablesMadeIn(textOf(path)));
  const inCanary = (line) => foreignTablesIn('packages/lease-store/src/canary.ts', line).length > 0;
  return [
    ...found,
    ...unownedTables(made),
    ...FOREIGN_SQL.filter((line) => !inCanary(line)).map((line) => `canary: not reported: ${line}`),
    ...OWN_SQL.filter(inCanary).map((line) => `canary: reported without reason: ${line}`),
  ];
}

const { complaints, files, edges } = await treeComplaints();
conclude(
  'boundaries',
  [...complaints, ...(await canaryComplaints()), ...tableComplaints()],
  `${files} modules, ${edges} workspace imports, ${Object.values(TABLES).flat().length} tables, canary reported ${EXPECTED.length} of ${EXPECTED.length}`,
);
