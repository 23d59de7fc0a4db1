import { basename, delimiter, isAbsolute, resolve } from 'node:path';
import type { ActionFiles, HeldFile, Interpreter } from './types.ts';

/** Where programs and files are looked for. */
export interface Search {
  /** Working directory, without links. */
  readonly cwd: string;
  /** PATH. */
  readonly path: string;
  readonly files: ActionFiles;
}

/**
 * The absolute path that a program means by `text`. A `..` behind a name is left for the kernel, which follows links first:
 * by its letters it could be another file.
 */
export function pathOf(cwd: string, text: string): string {
  const lead = /^(?:\.{1,2}\/+)*/.exec(text)?.[0] ?? '';
  const base = isAbsolute(text) ? '' : resolve(cwd, lead);
  const rest = isAbsolute(text) ? text : text.slice(lead.length);
  const isPlain = isAbsolute(text) ? !hasParent(text) : !hasParent(rest) || /^\.\.?$/.test(rest);
  return isPlain ? resolve(base || '/', rest) : `${base}/${rest}`;
}

const hasParent = (text: string): boolean => text.split('/').includes('..');

/** As `execvp` finds it: a name with a slash is a path, any other is looked for in PATH. */
export async function findProgram(name: string, { cwd, path, files }: Search): Promise<string | undefined> {
  if (name === '') return undefined;
  const places = name.includes('/') ? [pathOf(cwd, name)] : path.split(delimiter).map((dir) => resolve(cwd, dir, name));
  for (const candidate of places) {
    const fact = await files.inspect(candidate);
    if (fact?.kind === 'file' && fact.isExecutable) return candidate;
  }
  return undefined;
}

/** What runs a script, or nothing; or why nobody can say what would run. */
export type FoundInterpreter =
  | { readonly found: true; readonly interpreter?: Interpreter }
  | { readonly found: false; readonly path: string };

/**
 * What runs a script, as its first line names it. `env` with a name alone is taken off: what it would find is what is held.
 * More than a name behind `env` is not looked into. One that is not there is left to the kernel to refuse.
 */
export async function findInterpreter(named: HeldFile['interpreter'], search: Search): Promise<FoundInterpreter> {
  if (named === undefined) return { found: true };
  const { path, argument = '' } = named;
  if (basename(path) !== 'env') return { found: true, interpreter: named };
  const isName = /^[A-Za-z0-9._+-]+$/.test(argument) && !argument.startsWith('-');
  const found = isName ? await findProgram(argument, search) : undefined;
  if (found !== undefined) return { found: true, interpreter: { path: found } };
  return isName ? { found: true } : { found: false, path };
}
