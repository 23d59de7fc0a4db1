import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** The documented shapes of what the commands print with `--json`. */
const SCHEMA_FILE = new URL('../../../../docs/schemas/cli.v1.schema.json', import.meta.url);

interface Shapes {
  readonly $defs: Readonly<Record<string, z.core.JSONSchema.BaseSchema>>;
}

/** Options in front of a command that take a value. */
const WITH_VALUE = ['--home'];

/** The command that these arguments call, as far as it has a documented shape; undefined where it has none. */
function calledCommand(argv: readonly string[], known: (words: string) => boolean): string | undefined {
  const words: string[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (word === '--') break;
    if (WITH_VALUE.includes(word)) at += 1;
    else if (!word.startsWith('-')) words.push(word);
  }
  return [words.slice(0, 2).join(' '), words[0] ?? ''].find(known);
}

/**
 * What is wrong with the output of a call with `--json` against its documented shape; a call without it, and a line that
 * is no JSON (a program that was ended in the middle of one), is nobody's business here.
 */
export function wrongOutput(argv: readonly string[], stdout: string): string | undefined {
  const end = argv.indexOf('--');
  if (!(end < 0 ? argv : argv.slice(0, end)).includes('--json')) return undefined;
  const { $defs } = JSON.parse(readFileSync(SCHEMA_FILE, 'utf8')) as Shapes;
  const command = calledCommand(argv, (words) => words in $defs);
  const shape = command === undefined ? undefined : $defs[command];
  if (shape === undefined || $defs.error === undefined) return undefined;
  const schema = z.union([z.fromJSONSchema(shape as never), z.fromJSONSchema($defs.error as never)]);
  for (const line of stdout.split('\n')) {
    const value = parsed(line);
    if (value === undefined) continue;
    const { error } = schema.safeParse(value);
    if (error !== undefined) return `writ ${command} --json printed ${line}\n${z.prettifyError(error)}`;
  }
  return undefined;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
