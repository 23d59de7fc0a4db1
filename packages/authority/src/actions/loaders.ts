import { basename } from 'node:path';
import { quote } from '@writ/core';

/** Programs that are known, and whose arguments, texts or settings may make them run or read files that no argument names. */
interface Loader {
  /** Names of the programs, without a folder, lower case. */
  readonly names: RegExp;
  /** One of the arguments is like this; absent: whatever they are. */
  readonly argument?: RegExp;
  /** What such a program does, behind its name. */
  readonly does: string;
}

const LOADERS: readonly Loader[] = [
  { names: /^(?:[gmnt]|original-|bwk)?awk[0-9.-]*$/, does: 'may run commands and load files that its program names' },
  { names: /^g?sed$/, does: 'may run commands and read files that its script names' },
  { names: /^(?:g|bsd|s)?tar$/, does: 'may run programs that its options name' },
  {
    names: /^(?:psql|mysql|mariadb|sqlite3?|duckdb|clickhouse(?:-client)?|sqlcmd|sqlplus|mongo|mongosh|redis-cli)$/,
    does: 'may run commands and load files that its settings, its text or a file of it name',
  },
  {
    names: /^(?:docker|podman|nerdctl|buildah)$/,
    argument: /^(?:build|buildx|builder|bake|bud|build-using-dockerfile)$/,
    does: 'may build from files of a folder, and run what they say',
  },
  // A plain `@FILE`, behind one letter or a `=`, is found and bound; in every other form its end cannot be told.
  {
    names: /^curl$/,
    argument: /^(?!(?:-[A-Za-z]|--?[a-z-]+=|[^@=]*=)?@[^@;,=]*$).*@|=<|^(?:-[a-zA-Z]*K|--config)/s,
    does: 'may read files that stand behind an `@` or `<`, or in its settings',
  },
];

/** Rules that know the whole text of a program, or all of its arguments, which name nothing to run. */
const HARMLESS: ReadonlySet<string> = new Set([
  ...['reading.sed-lines', 'reading.sed-texts', 'reading.sed-in-place', 'reading.sed-in-place-option'],
  ...['reading.awk-fields', 'files.list-tar', 'files.pack-tar', 'program.answers'],
]);

/**
 * Why a known program may run or read what no digest binds; undefined: it is none of those that do.
 * INVARIANT: 5 a yes is to what was shown; what was not seen is said to be so.
 */
export function loaderReason([first = '', ...args]: readonly string[], rule: string): string | undefined {
  if (HARMLESS.has(rule)) return undefined;
  const name = basename(first);
  const loader = LOADERS.find(({ names }) => names.test(name.toLowerCase()));
  if (loader === undefined) return undefined;
  const { argument, does } = loader;
  if (argument !== undefined && !args.some((one) => argument.test(one))) return undefined;
  return `${quote(name)} ${does}`;
}
