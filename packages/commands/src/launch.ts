import { basename, resolve } from 'node:path';
import type { HeldAction } from '@writ/authority';

/** Programs that read their first operand as a program of their own. */
const INTERPRETERS = /^(?:(?:ba|da|a|z|k)?sh|python[0-9.]*|node(?:js)?|perl[0-9.]*|ruby[0-9.]*|php[0-9.]*|lua[0-9.]*)$/;
/** Options of theirs whose value is the next argument. */
const WITH_VALUE: ReadonlySet<string> = new Set(['-o', '+o', '-O', '+O', '-W', '-X', '-r', '--require', '-I']);

/** The file that is executed, and its arguments as it sees them. */
export interface Launch {
  readonly program: string;
  readonly argv: readonly string[];
}

/**
 * How what is held is started: the file that was hashed, under the name that was asked for. A script is given to what
 * runs it from where it is held, whether it is the program itself or the first operand of an interpreter. Other files
 * that arguments name stay what they are: a program may have to write there.
 * INVARIANT: 5 what runs is what was hashed.
 */
export function launchOf({ action, held, interpreter }: HeldAction): Launch {
  const [main] = action.programs;
  const [name = '', ...rest] = action.request.argv;
  const program = held.get(main?.path ?? '') ?? '';
  const runBy = interpreter && held.get(interpreter.path);
  if (interpreter !== undefined && runBy !== undefined) {
    const first = interpreter.argument === undefined ? [] : [interpreter.argument];
    return { program: runBy, argv: [interpreter.path, ...first, program, ...rest] };
  }
  if (!INTERPRETERS.test(basename(name))) return { program, argv: [name, ...rest] };
  return { program, argv: [name, ...withHeldScript(action, held, rest)] };
}

function withHeldScript(
  { files, directory }: HeldAction['action'],
  held: HeldAction['held'],
  rest: readonly string[],
): readonly string[] {
  const at = placeOfOperand(rest);
  const operand = rest[at];
  if (operand === undefined) return rest;
  const path = files.map((file) => file.path).find((file) => file === resolve(directory.path, operand));
  const copy = path === undefined ? undefined : held.get(path);
  return copy === undefined ? rest : rest.with(at, copy);
}

/** Where the first operand stands; -1: there is none. */
function placeOfOperand(rest: readonly string[]): number {
  for (let at = 0; at < rest.length; at++) {
    const argument = rest[at] ?? '';
    if (argument === '--') return at + 1 < rest.length ? at + 1 : -1;
    if (!/^[-+]./.test(argument)) return at;
    if (WITH_VALUE.has(argument)) at += 1;
  }
  return -1;
}
