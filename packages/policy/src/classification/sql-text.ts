import type { CommandClass } from './types.ts';

/** Functions that only compute. */
const PURE: ReadonlySet<string> = new Set(
  'count sum min max avg now lower upper length coalesce nullif round abs floor ceil trim substr substring concat version current_database current_schema current_user date date_trunc extract cast greatest least'.split(
    ' ',
  ),
);
const READS: ReadonlySet<string> = new Set(['select', 'show', 'table', 'values', 'describe', 'desc', 'with']);
const ADDS: ReadonlySet<string> = new Set(['insert', 'create', 'comment', 'analyze', 'alter', 'grant']);
/** Words that make a statement do more than its first word says. */
const TAKES: ReadonlySet<string> = new Set(
  'drop delete truncate update replace cascade revoke merge execute call do copy load prepare vacuum reindex lock owner function procedure trigger extension rule user role program outfile dumpfile'.split(
    ' ',
  ),
);
const WRITES: ReadonlySet<string> = new Set(['into', 'insert', 'create', 'alter', 'grant', 'set']);
/** After these an opening parenthesis is no call. */
const NOT_CALLED: ReadonlySet<string> = new Set(
  'in and or not from where on as values select any all exists by having over using'.split(' '),
);

const TOKEN = /\s+|'(?:[^'\\]|'')*'|"[^"\\]*"|[A-Za-z_][A-Za-z0-9_]*|\d+(?:\.\d+)?|::|[<>!=]=|<>|[-+*/%=<>(),.;]/;

/** What psql lists by itself, of all names or those that a pattern fits; to other clients it is nothing. */
const LISTS = /^ *\\(?:d[a-zA-Z]*\+?|l\+?|z|conninfo)(?: +[\w.*?]+)? *$/;
/** What is only looked at, and how it would be done. */
const EXPLAINS = new Set(['explain', 'analyze', 'verbose']);

/**
 * What a text for an SQL client does. What cannot be split into words for certain (comments, backslashes, dollar quotes)
 * is destructive: clients and servers disagree about those.
 */
export function classOfSql(text: string): CommandClass {
  if (LISTS.test(text)) return 'read';
  const statements = splitStatements(text);
  if (!statements || statements.length === 0) return 'destructive';
  const classes = statements.map(classOfStatement);
  if (classes.includes('destructive')) return 'destructive';
  return classes.includes('config-mutation') ? 'config-mutation' : 'read';
}

/** What a statement may begin with that is about the data of a database. */
const ABOUT_DATA =
  /^(?:select|with|show|table|values|describe|desc|insert into|delete from|update \S+ set|truncate|analyze|comment on|(?:create|drop|alter) (?:table|index|view|schema|sequence|database)|create unique index|(?:grant|revoke) .* on)(?: |$)/;
/** A file of the server, a library of it, and an engine that asks another server. */
const BEYOND: ReadonlySet<string> = new Set(
  'outfile dumpfile program language load soname server system handler engine connection inputformat call do set'.split(
    ' ',
  ),
);
/** In front of a parenthesis: names of what is made or filled, types and parts of a definition. */
const DEFINES: ReadonlySet<string> = new Set(
  'int integer bigint smallint varchar char character decimal numeric float timestamp time key unique check references primary index constraint default'.split(
    ' ',
  ),
);
const NAMES_NEXT: ReadonlySet<string> = new Set(['table', 'into', 'exists', 'references', 'index', 'view', 'key']);

/**
 * True where nothing in the text runs a program, or reads or writes a file of the server: its statements are about data, and call no
 * function but those that compute.
 */
export function runsNothing(text: string): boolean {
  if (LISTS.test(text)) return true;
  const statements = splitStatements(text);
  return statements !== undefined && statements.length > 0 && statements.every(isAboutData);
}

function isAboutData(whole: readonly string[]): boolean {
  const tokens = explained(whole);
  const isUpdate = tokens[0] === 'update';
  return (
    ABOUT_DATA.test(tokens.join(' ')) &&
    !namesFolder(tokens) &&
    !tokens.some((token) => BEYOND.has(token) && !(token === 'set' && isUpdate)) &&
    !tokens.some((token, at) => isCall(tokens, at) && !DEFINES.has(token) && !isNamed(tokens, at))
  );
}

/** A table whose files are laid somewhere else on the server. */
function namesFolder(tokens: readonly string[]): boolean {
  return tokens.some((token, at) => token === 'directory' && ['data', 'index'].includes(tokens[at - 1] ?? ''));
}

function isNamed(tokens: readonly string[], at: number): boolean {
  const before = tokens[at - 1] ?? '';
  return NAMES_NEXT.has(before) || (before === 'on' && /^create (?:unique )?index /.test(tokens.slice(0, 4).join(' ')));
}

/** Statements as lists of lower-case tokens; undefined where a character belongs to no token. */
function splitStatements(text: string): readonly (readonly string[])[] | undefined {
  const statements: string[][] = [[]];
  if (text.includes('--') || text.includes('/*')) return undefined;
  const next = new RegExp(TOKEN, 'y');
  while (next.lastIndex < text.length) {
    const token = next.exec(text)?.[0];
    if (token === undefined) return undefined;
    if (token === ';') statements.push([]);
    else if (token.trim() !== '') statements.at(-1)?.push(/^['"]/.test(token) ? token : token.toLowerCase());
  }
  return statements.filter((statement) => statement.length > 0);
}

/** What `explain` is about: some databases do it, to see how. */
function explained(tokens: readonly string[]): readonly string[] {
  if (tokens[0] !== 'explain') return tokens;
  return tokens.slice(tokens.findIndex((token) => !EXPLAINS.has(token)));
}

function classOfStatement(whole: readonly string[]): CommandClass {
  const tokens = explained(whole);
  const [first = ''] = tokens;
  if (tokens.some((token) => TAKES.has(token)) || namesFolder(tokens)) return 'destructive';
  if (ADDS.has(first)) return 'config-mutation';
  if (!READS.has(first)) return 'destructive';
  return tokens.some((token, at) => WRITES.has(token) || isCall(tokens, at)) ? 'config-mutation' : 'read';
}

/** A name in front of a parenthesis, unless it is known only to compute. */
function isCall(tokens: readonly string[], at: number): boolean {
  const name = tokens[at] ?? '';
  return tokens[at + 1] === '(' && /^["a-z_]/.test(name) && !PURE.has(name) && !NOT_CALLED.has(name);
}
