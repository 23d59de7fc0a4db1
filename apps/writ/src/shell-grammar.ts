import { readFileSync } from 'node:fs';
import { createShellGrammar, type ShellGrammar } from '@writ/policy';

/**
 * The grammar that commands are classified with, from the two files that the build puts beside this bundle. Loading
 * takes some milliseconds and happens once, at the root of what needs it.
 */
export function loadShellGrammar(): Promise<ShellGrammar> {
  const beside = (name: string): Uint8Array => readFileSync(new URL(name, import.meta.url));
  return createShellGrammar({
    runtime: beside('./web-tree-sitter.wasm'),
    grammar: beside('./tree-sitter-bash.wasm'),
  });
}
