/**
 * Fills the generated parts of the pages in docs/ (the text around the markers is written by hand).
 * With `--check` nothing is written: a stale part is a complaint, and so is a link in any page that leads nowhere.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { configurationTables } from './lib/configuration-tables.mjs';
import { loadTs } from './lib/load-ts.mjs';
import { conclude } from './lib/run.mjs';
import { ROOT, treeFiles } from './lib/tree.mjs';

/** Where each generated part stands, and what makes it. */
const PARTS = [
  {
    page: 'docs/configuration.md',
    mark: 'keys',
    make: async () => configurationTables((await loadTs('packages/policy/src/index.ts')).configReference()),
  },
  {
    page: 'docs/mcp.md',
    mark: 'operations',
    make: async () => (await loadTs('packages/gateway/src/index.ts')).operationTable(),
  },
  {
    page: 'docs/audit.md',
    mark: 'actions',
    make: async () => auditTable((await loadTs('packages/database/src/audit-actions.ts')).AUDIT_ACTIONS),
  },
  {
    page: 'docs/cli.md',
    mark: 'exit-codes',
    make: async () => exitTable((await loadTs('apps/writ/src/cli/exit-codes.ts')).EXIT_MEANINGS),
  },
  {
    page: 'docs/cli.md',
    mark: 'commands',
    make: async () => (await loadTs('apps/writ/src/cli/reference.ts')).commandReference(),
  },
];

/** What each exit code means, as a table. */
function exitTable(meanings) {
  const rows = Object.entries(meanings).map(([code, meaning]) => `| ${code} | ${meaning} |`);
  return ['| code | meaning |', '| --- | --- |', ...rows].join('\n');
}

/** Files that are generated whole. */
const FILES = [
  {
    file: 'docs/schemas/cli.v1.schema.json',
    make: async () =>
      `${JSON.stringify((await loadTs('apps/writ/src/cli/shapes/json-schema.ts')).cliJsonSchema(), null, 2)}\n`,
  },
  {
    file: 'apps/writ/man/writ.1',
    make: async () => (await loadTs('apps/writ/src/cli/man-page.ts')).manPage(),
  },
];

/** The vocabulary of the audit trail as a table. */
function auditTable(kinds) {
  const rows = Object.entries(kinds).flatMap(([kind, actions]) =>
    Object.entries(actions).map(([action, what]) => `| ${kind} | \`${action}\` | ${what} |`),
  );
  return ['| kind | action | what happened |', '| --- | --- | --- |', ...rows].join('\n');
}

/** Pages with links to files of this tree that do not exist. */
function brokenLinks() {
  return treeFiles('*.md').flatMap((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8').replaceAll(/```[\s\S]*?```/g, '');
    return [...text.matchAll(/\]\((?!\w+:|#)([^)\s#]+)(?:#[^)]*)?\)/g)]
      .filter(([, target]) => !existsSync(join(ROOT, dirname(path), target)))
      .map(([, target]) => `${path}: the link ${target} leads nowhere`);
  });
}

/** Writes one part, or says what is wrong with it; undefined where it is as it should be. */
async function settle({ page, mark, make }, check) {
  const path = join(ROOT, page);
  const marked = new RegExp(`(<!-- ${mark} -->\\n)[\\s\\S]*?(\\n?<!-- /${mark} -->)`);
  if (!existsSync(path)) return `${page} is missing`;
  const text = readFileSync(path, 'utf8');
  if (!marked.test(text)) return `${page} has no <!-- ${mark} --> … <!-- /${mark} -->`;
  const part = (await make()).trim();
  const wanted = text.replace(marked, (_, open, close) => `${open}\n${part}\n${close}`);
  if (text === wanted) return undefined;
  if (check) return `${page} is out of date: npm run docs`;
  writeFileSync(path, wanted);
  return undefined;
}

/** Writes a whole file, or says that it is stale; undefined where it is as it should be. */
async function settleFile({ file, make }, check) {
  const path = join(ROOT, file);
  const wanted = await make();
  if (existsSync(path) && readFileSync(path, 'utf8') === wanted) return undefined;
  if (check) return `${file} is out of date: npm run docs`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, wanted);
  return undefined;
}

const check = process.argv.includes('--check');
const complaints = check ? brokenLinks() : [];
for (const part of PARTS) {
  const complaint = await settle(part, check);
  if (complaint !== undefined) complaints.push(complaint);
}
for (const file of FILES) {
  const complaint = await settleFile(file, check);
  if (complaint !== undefined) complaints.push(complaint);
}
conclude(
  'docs',
  complaints,
  check ? 'generated parts are up to date, every link leads somewhere' : 'generated parts are written',
);
