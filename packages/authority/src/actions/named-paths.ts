import { pathOf } from './search.ts';
import type { ActionFiles } from './types.ts';

/** Longest argument that can be a path, UTF-16 units (PATH_MAX). */
const LONGEST_PATH = 4096;

/** What arguments name, absolute, in order, each once. */
export interface NamedPaths {
  readonly files: readonly string[];
  /** Folders: what is in them has no digest. */
  readonly folders: readonly string[];
}

/**
 * What arguments name: an argument as it stands, or what follows its first `=`, a short option's letter, or an `@` in
 * front of either. A file that is not there yet is none; where it is there later, the digest differs.
 */
export async function namedPaths(
  argumentLists: readonly (readonly string[])[],
  cwd: string,
  files: ActionFiles,
): Promise<NamedPaths> {
  const candidates = new Set(argumentLists.flatMap(([, ...operands]) => operands.flatMap(candidatesOf)));
  const paths = new Set([...candidates].map((text) => pathOf(cwd, text)));
  const found = { files: [] as string[], folders: [] as string[] };
  for (const path of [...paths].sort()) {
    const fact = await files.inspect(path);
    if (fact?.kind === 'file') found.files.push(path);
    if (fact?.kind === 'directory') found.folders.push(path);
  }
  return found;
}

function candidatesOf(argument: string): readonly string[] {
  const afterEquals = argument.includes('=') ? [argument.slice(argument.indexOf('=') + 1)] : [];
  const afterLetter = /^-[A-Za-z]./.test(argument) ? [argument.slice(2)] : [];
  const values = [argument, ...afterEquals, ...afterLetter];
  const afterAt = values.filter((text) => text.startsWith('@')).map((text) => text.slice(1));
  return [...values, ...afterAt].filter((text) => text !== '' && text.length <= LONGEST_PATH && !text.includes('\0'));
}
