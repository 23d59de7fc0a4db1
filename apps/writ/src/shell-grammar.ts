import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createShellGrammar, type ShellGrammar } from '@writ/policy';

/**
 * The grammar that commands are classified with, from the two files that the build puts beside this bundle. Loading
 * takes some milliseconds and happens once, at the root of what needs it.
 */
export function loadShellGrammar(): Promise<ShellGrammar> {
  const { runtime, grammar } = grammarFiles();
  return createShellGrammar({ runtime: readFileSync(runtime), grammar: readFileSync(grammar) });
}

/** Absolute paths of these two files. */
export function grammarFiles(): { readonly runtime: string; readonly grammar: string } {
  const beside = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
  return { runtime: beside('./web-tree-sitter.wasm'), grammar: beside('./tree-sitter-bash.wasm') };
}
