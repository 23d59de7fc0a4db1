import type { CommandClass } from './types.ts';

/** Functions that only compute. */
const PURE: ReadonlySet<string> = new Set(
  'count sum min max avg now lower upper length coalesce nullif round abs floor ceil trim substr substring concat version current_database current_schema current_user date date_trunc extract cast greatest least'.split(
    ' ',
  ),
);
const READS: ReadonlySet<string> = new Set(['select', 'show', 'table', 'values', 'describe', 'desc', 'with']);
const ADDS: ReadonlySet<string> = new Set(['insert', 'create', 'comment', 'analyze', 'grant']);
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
    !tokens.some((_, at) => isCall(tokens, at) && !isDefined(tokens, at) && !isNamed(tokens, at))
  );
}

function isDefined(tokens: readonly string[], at: number): boolean {
  return DEFINES.has(tokens[at] ?? '') && !isQualified(tokens, at);
}

function isQualified(tokens: readonly string[], at: number): boolean {
  return tokens[at - 1] === '.';
}

/** A table whose files are laid somewhere else on the server. */
function namesFolder(tokens: readonly string[]): boolean {
  return tokens.some((token, at) => token === 'directory' && ['data', 'index'].includes(tokens[at - 1] ?? ''));
}

function isNamed(tokens: readonly string[], at: number): boolean {
  const before = tokens[at - 1] ?? '';
  return NAMES_NEXT.has(before) || (before === 'on' && /^create (?:unique )?index /.test(tokens.slice(0, 4).join(' ')));
}

/** Longest text that is looked into, characters. */
const LONGEST = 32_768;

/** Statements as lists of lower-case tokens; undefined where a character belongs to no token, or there are too many. */
function splitStatements(text: string): readonly (readonly string[])[] | undefined {
  const statements: string[][] = [[]];
  if (text.length > LONGEST || text.includes('--') || text.includes('/*')) return undefined;
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
  if (first === 'alter') return onlyAdds(tokens) ? 'config-mutation' : 'destructive';
  if (ADDS.has(first)) return 'config-mutation';
  if (!READS.has(first)) return 'destructive';
  return tokens.some((token, at) => WRITES.has(token) || isCall(tokens, at)) ? 'config-mutation' : 'read';
}

/** What is altered is there as before: each part of the statement adds something, or gives it another name. */
function onlyAdds(tokens: readonly string[]): boolean {
  const [, kind = '', ...rest] = tokens;
  const isKnown = ['table', 'index', 'view', 'sequence'].includes(kind);
  const start = /^(?:if exists )?(?:only )?(?:\S+ \. )*\S+ /.exec(rest.join(' '))?.[0] ?? '';
  return isKnown && start !== '' && partsOf(rest.slice(start.split(' ').length - 1)).every(isAddition);
}

const ADDITIONS = /^(?:add|rename)(?: |$)/;
/** Words with which a part that adds, by its first word, does more. */
const REPLACES: ReadonlySet<string> = new Set(['exchange', 'partition', 'discard', 'import', 'using']);

function isAddition(part: readonly string[]): boolean {
  return ADDITIONS.test(part.join(' ')) && !part.some((token) => REPLACES.has(token));
}

/** Parts between commas that stand in no parenthesis. */
function partsOf(tokens: readonly string[]): readonly (readonly string[])[] {
  const parts: string[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    depth += token === '(' ? 1 : token === ')' ? -1 : 0;
    if (token === ',' && depth === 0) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts;
}

/** Whether the statements are about what the database holds that the client is connected to, and name none besides. */
export function staysInDatabase(text: string): boolean {
  const statements = splitStatements(text);
  return statements?.every((tokens) => !tokens.some((token) => ELSEWHERE.has(token))) === true;
}

/** What stands between a name and the place where it is, and kinds of things that are above a table. */
const ELSEWHERE: ReadonlySet<string> = new Set(
  '. database schema use tablespace server system role user handler global link subscription publication all'.split(
    ' ',
  ),
);

/** A name in front of a parenthesis, unless it is known only to compute. */
function isCall(tokens: readonly string[], at: number): boolean {
  const name = tokens[at] ?? '';
  if (tokens[at + 1] !== '(' || !/^["a-z_]/.test(name)) return false;
  // Behind a dot it is the function of another schema, whatever word it is.
  return isQualified(tokens, at) || !(PURE.has(name) || NOT_CALLED.has(name));
}
