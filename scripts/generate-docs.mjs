/**
 * Fills the generated part of docs/configuration.md (the text around the markers is written by hand).
 * With `--check` nothing is written: a stale part is a complaint, and so is a link in any page that leads nowhere.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { configurationTables } from './lib/configuration-tables.mjs';
import { loadTs } from './lib/load-ts.mjs';
import { conclude } from './lib/run.mjs';
import { ROOT, treeFiles } from './lib/tree.mjs';

const PAGE = 'docs/configuration.md';
const MARKED = /(<!-- keys -->\n)[\s\S]*?(\n<!-- \/keys -->)/;

/** Pages with links to files of this tree that do not exist. */
function brokenLinks() {
  return treeFiles('*.md').flatMap((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8').replaceAll(/```[\s\S]*?```/g, '');
    return [...text.matchAll(/\]\((?!\w+:|#)([^)\s#]+)(?:#[^)]*)?\)/g)]
      .filter(([, target]) => !existsSync(join(ROOT, dirname(path), target)))
      .map(([, target]) => `${path}: the link ${target} leads nowhere`);
  });
}

/** The page as it should be, or what stands in the way. */
async function wantedPage() {
  const { configReference } = await loadTs('packages/policy/src/index.ts');
  if (typeof configReference !== 'function') return { problem: 'packages/policy exports no configReference()' };
  if (!existsSync(join(ROOT, PAGE))) return { problem: `${PAGE} is missing` };
  const page = readFileSync(join(ROOT, PAGE), 'utf8');
  if (!MARKED.test(page)) return { problem: `${PAGE} has no <!-- keys --> … <!-- /keys -->` };
  const tables = configurationTables(configReference());
  return { page, wanted: page.replace(MARKED, (_, open, close) => `${open}\n${tables}\n${close}`) };
}

const check = process.argv.includes('--check');
const { page, wanted, problem } = await wantedPage();
const complaints = check ? brokenLinks() : [];
if (problem !== undefined) complaints.push(problem);
else if (page !== wanted && check) complaints.push(`${PAGE} is out of date: npm run docs`);
else if (page !== wanted) writeFileSync(join(ROOT, PAGE), wanted);
conclude('docs', complaints, check ? `${PAGE} is up to date, every link leads somewhere` : `${PAGE} is written`);
